"""numba's `njit`, but for where and how compiled code is kept: the only place that knows numba from inside.

numba's own cache looks at a kernel's own file only, so that code with a helper of before in it would go on being used; two
processes that compile at once may take each other's files; it does not work without a folder, and trusts what it finds. So a
kernel is a file by itself here, behind a checksum. It is a pickle, as numba's own: whatever is wrong with it costs time only.
"""

import pickle
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b

from irci.base.errors import logger
from irci.native import kept, load_numba

load_numba()

import llvmlite  # noqa: E402
import numba  # noqa: E402
import numpy as np  # noqa: E402

# Settings that change no compiled code.
NO_CODE = {"CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEFAULT_NUM_THREADS"}
SIZE = 32  # of a checksum
warned: list[str] = []


def _key() -> str:
    """Of all that goes into compiled code but the processor and the types of arguments; settings are those in force."""
    settings = sorted(each for each in vars(numba.config).items() if each[0].isupper() and each[0] not in NO_CODE)
    return kept.digest_of(sys.version, numba.__version__, llvmlite.__version__, np.__version__, repr(settings))


try:
    KEY = _key()
except OSError:  # only bytecode is installed: kernels of any version would be each other's
    KEY = ""


def njit(cache=False, **options):
    """The decorator `numba.njit`, with `cache` for kernels that are kept."""

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
        self.cache_path = f"{kept.PREFIX}{KEY}"

    def load_overload(self, signature, context):
        try:
            from numba.core.compiler import CompileResult
            from numba.core.runtime import rtsys

            rtsys.initialize(context)
            found = self._found(signature, context)
            return found and CompileResult._rebuild(context, *pickle.loads(found))
        except Exception:
            return None

    def save_overload(self, signature, compiled):
        """Keep compiled code, unless of sources or by settings that have changed since this process began."""
        try:
            from numba.core.serialize import dumps

            if compiled.lifted or compiled.library.has_dynamic_globals or _key() != KEY:
                return
            name, content = self._name(signature, compiled.target_context), dumps(compiled._reduce())
            kept.write(KEY, name, _checksum(name, content) + content)
        except Exception as error:
            _warn(getattr(error, "strerror", None) or str(error) or type(error).__name__)

    def flush(self):
        """Nothing: what is kept is never stale."""

    def _found(self, signature, context):
        name = self._name(signature, context)
        with suppress(OSError, MemoryError):
            found = kept.read(KEY, name) if KEY else b""
            if found[:SIZE] == _checksum(name, found[SIZE:]):
                _note_use()
                return found[SIZE:]
        return None

    def _name(self, signature, context):
        code, processor = self.function.__code__, context.codegen().magic_tuple()
        which = (code.co_firstlineno, code.co_code, [_described(each) for each in signature], processor)
        name = f"{self.function.__module__.rpartition('.')[2]}.{self.function.__qualname__}"
        return f"{name}-{blake2b(repr(which).encode(), digest_size=8).hexdigest()}"


def _checksum(name, content):
    return blake2b(f"{KEY} {name}\n".encode() + content, digest_size=SIZE).digest()


def _described(kind):
    """A type by its name; that of a named tuple does not tell which one it is, nor its fields."""
    more = str(getattr(kind, "instance_class", "")), getattr(kind, "fields", ())
    return repr(kind), more, [_described(each) for each in getattr(kind, "types", ())]


@cache
def _note_use():
    kept.note_use(KEY)


def _warn(why):
    """Say, once, why kernels cannot be kept."""
    if not warned:
        warned.append(why)
        where = ""
        with suppress(OSError):
            where = f"in {kept.place()} "
        logger.warning(
            f"kernels cannot be kept {where}({why}): each run compiles them again; set NUMBA_CACHE_DIR to a folder of your own"
            " that nobody else can write to"
        )
