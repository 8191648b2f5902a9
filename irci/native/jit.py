"""numba's `njit`, but for where and how compiled code is kept: the only place that knows numba from inside.

numba looks at a kernel's own file only, so that code with a helper of before in it would go on being used; it refuses to
work without a folder that can be written, and trusts what it finds there. If another numba is other inside, nothing is kept.

What numba would keep is a pickle, and so it is here: a folder of kernels is to be trusted as far as one of programs.
"""

import pickle
import struct
from contextlib import suppress
from hashlib import sha1, sha256

import numpy as np

from irci import native
from irci.native import linking
from irci.native.kinds import class_name, kinds_of
from irci.native.store import Store, folders
from irci.system import process

native.load_numba()

import llvmlite  # noqa: E402
import numba  # noqa: E402

SYMBOLS, SYMBOL_SIZE = 2, 24  # ELF: a kind of section, and what an entry of it takes
# Settings that change no compiled code.
NO_CODE = {"CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEFAULT_NUM_THREADS"}


def _settings() -> str:
    # By which numba compiles now, wherever it has them from: the environment, .numba_config.yaml.
    return repr(sorted(each for each in vars(numba.config).items() if each[0].isupper() and each[0] not in NO_CODE))


SETTINGS = _settings()
STORE = Store((numba.__version__, llvmlite.__version__, np.__version__, SETTINGS), folders())


def _optimize_functions(library, module):
    """numba's passes over the functions of a module one by one, but not over those that have no body, which are nearly all."""
    module.data_layout = library._codegen._data_layout
    for function in module.functions:
        if not function.is_declaration:
            manager, builder = library._codegen._function_pass_manager()
            manager.run(function, builder)


# Elsewhere numba is not only ours; other versions call passes otherwise.
if process.is_own and numba.__version__ == "0.68.1":
    from numba.core.codegen import CPUCodeLibrary

    CPUCodeLibrary._optimize_functions = _optimize_functions  # type: ignore[method-assign]


def njit(cache=False, **options):
    """The decorator `numba.njit`, with `cache` for kernels that are kept in the store."""

    def decorate(function):
        dispatcher = numba.njit(**options)(function)
        if cache:
            dispatcher._cache = _Kept(function)
        return dispatcher

    return decorate


class _Kept:
    """The cache of a function, as numba asks for it. No error in it is worth more than compiling anew."""

    def __init__(self, function):
        self.function = function
        self.name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self.cache_path = str(STORE.places[0])

    def load_overload(self, signature, context):
        context.refresh()
        try:
            from numba.core.compiler import CompileResult

            kept = STORE.load(self.name, self._description(signature, context))
            if kept is None:
                return None
            reduced = pickle.loads(kept)
            self._keep_for_linking(reduced)
            return CompileResult._rebuild(context, *reduced)
        except Exception:
            return None

    def save_overload(self, signature, compiled):
        """Keep compiled code, unless by settings that have changed since this process began."""
        try:
            from numba.core.serialize import dumps

            if not compiled.lifted and not compiled.library.has_dynamic_globals and _settings() == SETTINGS:
                description = self._description(signature, compiled.target_context)
                reduced = compiled._reduce()
                STORE.save(self.name, description, dumps(reduced))
                self._keep_for_linking(reduced)
        except Exception as error:
            STORE.warn(error)

    def _keep_for_linking(self, reduced):
        # The object that it is too; what cannot be linked is left to numba.
        ours = self.function.__module__.startswith("irci.kernels.")
        if ours and native.numba_is_ours and linking.has_no_settings() and _settings() == SETTINGS:
            with suppress(Exception):
                keep(self.function, reduced)

    def is_kept(self, signature, context):
        """True if code for arguments of these types is kept."""
        return STORE.load(self.name, self._description(signature, context)) is not None

    def flush(self):
        """Nothing: what is kept is never stale."""

    def _description(self, signature, context):
        code = self.function.__code__
        which = (self.name, code.co_firstlineno, sha256(code.co_code).hexdigest())
        return repr((which, [_described(each) for each in signature], context.codegen().magic_tuple()))


def _described(kind):
    """A type by its name; that of a named tuple does not tell which one it is, nor its fields."""
    more = str(getattr(kind, "instance_class", "")), getattr(kind, "fields", ())
    return repr(kind), more, [_described(each) for each in getattr(kind, "types", ())]


def keep(function, reduced):
    """Keep what numba has compiled, as its own cache has it, if it is not kept and such that it can be linked."""
    (_, _, (content, _)), _, _, signature, *_ = reduced
    kinds = kinds_of(signature.args, kind_of_type)
    if kinds is None:
        return
    here, name, which = (
        linking.store(),
        linking.name_of(function),
        linking.description(function, kinds, linking.processor()),
    )
    if here.load(name, which) is not None:
        return
    header = header_of(reduced) | {"undefined": _undefined_symbols(content)}
    here.save(name, which, linking.joined(header, content))


def header_of(reduced):
    """What a link of compiled code must know: names of symbols, constants, classes of what goes in and comes out."""
    _, described, environment, signature, *_, referenced = reduced
    return {
        "entry": described.llvm_cpython_wrapper_name,
        "environments": {each.env_name: list(map(_told, each.consts)) for each in (environment, *referenced)},
        "own": environment.env_name,
        "classes": _classes([signature.return_type, *signature.args]),
    }


def _told(constant):
    if isinstance(constant, np.dtype) and constant.kind in "biuf":
        return constant.str
    raise ValueError("a constant that only numba can make")


def _classes(kinds):
    """By the hash of their pickles, which compiled code holds, the names of ndarray and of named tuples among types."""
    from numba.core.serialize import dumps

    found = {sha1(dumps(np.ndarray)).hexdigest(): ("numpy", "ndarray")}
    for kind in kinds:
        if hasattr(kind, "instance_class"):
            found[sha1(dumps(kind.instance_class)).hexdigest()] = class_name(kind.instance_class).rpartition(".")[::2]
        found |= _classes(getattr(kind, "types", ()))
    return found


def _undefined_symbols(content):
    if content[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no object file of 64 bits")
    (sections,) = struct.unpack_from("<Q", content, 40)
    size, number = struct.unpack_from("<HH", content, 58)
    table = [struct.unpack_from("<IIQQQQII", content, sections + size * each) for each in range(number)]
    (symbols,) = [each for each in table if each[1] == SYMBOLS]
    strings = table[symbols[6]]
    names = []
    for place in range(symbols[4] + SYMBOL_SIZE, symbols[4] + symbols[5], SYMBOL_SIZE):
        name, _, _, section = struct.unpack_from("<IBBH", content, place)
        if section == 0:
            start = strings[4] + name
            names.append(content[start : content.index(b"\0", start)].decode())
    return names


def kind_of_type(kind):
    """The kind of values of a type of numba's, or None."""
    from numba import types
    from numba.np.numpy_support import as_dtype

    if type(kind) is types.Array and kind.aligned and isinstance(kind.dtype, (types.Number, types.Boolean)):
        return as_dtype(kind.dtype).str, kind.ndim, kind.layout, kind.mutable
    if type(kind) in (types.Integer, types.Float, types.Boolean):
        return as_dtype(kind).str
    if isinstance(kind, types.BaseTuple):
        kinds = kinds_of(kind.types, kind_of_type)
        name = class_name(getattr(kind, "instance_class", tuple))
        return None if kinds is None else (name, tuple(getattr(kind, "fields", ())), kinds)
    return None
