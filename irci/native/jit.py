"""numba, loaded by the first kernel that no library has; what it compiles is kept, a file a kernel and kinds of arguments.

numba's own cache is not used: it looks at a kernel's own file only, not at its helpers'; of two processes that compile at once
one may put its code under the other's name; it does not work without a folder, and trusts what it finds; and to load anything
it imports all of numba. A file is a pickle, as numba's own.

Parts of numba that it does not promise to keep are named here (numba.core, `_cache`, `_reduce`, `_rebuild`, `_numba_type_`)
and in `wheels/`, and were seen in numba 0.60 to 0.68; without those of the cache nothing is kept.
"""

import io
import os
import pickle
import sys
import warnings
from contextlib import suppress
from hashlib import blake2b

from irci.base import DataError, UsageError
from irci.native import compiled
from irci.native.compiled import PREFIX, announce, folder_of, key_of, read_kept, write_kept
from irci.wording import notify

SETTINGS_FILE = ".numba_config.yaml"
NO_CODE = {"CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEFAULT_NUM_THREADS"}  # settings that change no compiled code
warned: list[str] = []


def load_numba():
    """Import numba: UsageError if its settings are such that it, or irci, cannot work; DataError if it or LLVM is missing."""
    # numba reads its settings when it is imported: some it warns of with a traceback, some make it fail.
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Environment variable 'NUMBA_", RuntimeWarning)
            import numba
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        why = f" ({'; '.join(compiled.problems)})" if compiled.problems else ""
        reason = f"a kernel must be compiled here{why}, which takes numba: pip install 'irci[compile]'"
        raise DataError(reason) from error
    except FileNotFoundError:  # the current folder is no more
        raise
    except Exception as error:  # of many kinds: by wrong settings, or where LLVM lacks memory
        settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
        settings += [SETTINGS_FILE] if os.path.isfile(SETTINGS_FILE) else []
        told = str(error).partition("\n")[0]
        if not settings:
            raise DataError(f"numba does not start (too little memory, ulimit -v?): {told}") from error
        raise UsageError(f"numba does not start with {' '.join(settings)}: {told}") from error
    if numba.config.DISABLE_JIT:
        raise UsageError("irci's kernels work only compiled: unset NUMBA_DISABLE_JIT")
    return numba


numba = load_numba()

import llvmlite  # noqa: E402
import numpy as np  # noqa: E402
from numba.core.compiler import CompileResult  # noqa: E402
from numba.core.environment import Environment, lookup_environment  # noqa: E402
from numba.core.registry import cpu_target  # noqa: E402
from numba.core.runtime.nrt import rtsys  # noqa: E402
from numba.core.serialize import dumps  # noqa: E402


def _key() -> str:
    """Of all that goes into compiled code but the processor and the types of arguments; settings are those in force."""
    settings = sorted(
        setting for setting in vars(numba.config).items() if setting[0].isupper() and setting[0] not in NO_CODE
    )
    return key_of(sys.version, numba.__version__, llvmlite.__version__, np.__version__, repr(settings))


KEY = _key()


def njit(function, **options):
    """The kernel that `numba.njit` makes, which runs without the interpreter's lock and is kept."""
    kernel = numba.njit(nogil=True, **options)(function)
    kernel._cache = _Kept(function)
    return kernel


def intrinsic(function):
    """The function that numba.extending.intrinsic makes, with the attribute by which numba knows what stands for it."""
    made = numba.extending.intrinsic(function)
    cpu_target.typing_context.refresh()
    made._numba_type_ = cpu_target.typing_context.resolve_value_type(made)
    return made


class _Kept:
    """The cache of a function, as numba asks for it. No error in it is worth more than compiling anew."""

    cache_path = f"{PREFIX}{KEY}"

    def __init__(self, function):
        self.function = function

    def load_overload(self, signature, context):
        """What was compiled for these types, or None."""
        with suppress(Exception):
            rtsys.initialize(context)
            content = read_kept(folder_of(KEY), self._name(signature, context))
            return CompileResult._rebuild(context, *_Unpickler(io.BytesIO(content)).load())
        announce()
        return None

    def save_overload(self, signature, compiled):
        """Keep compiled code, unless of sources or by settings that have changed since this process began."""
        try:
            if not compiled.lifted and not compiled.library.has_dynamic_globals and _key() == KEY:
                write_kept(KEY, self._name(signature, compiled.target_context), dumps(compiled._reduce()))
        except Exception as error:
            warned.append(getattr(error, "strerror", None) or str(error) or type(error).__name__)
            if len(warned) == 1:
                notify("kernels_not_kept", reason=warned[0])

    def flush(self):
        """Nothing: what is kept is never stale."""

    def _name(self, signature, context):
        code, processor = self.function.__code__, context.codegen().magic_tuple()
        content = repr((code.co_firstlineno, code.co_code, list(map(_described, signature)), processor)).encode()
        name = f"{self.function.__module__.rpartition('.')[2]}.{self.function.__qualname__}"
        return f"{name}-{blake2b(content, digest_size=8).hexdigest()}"


class _Unpickler(pickle.Unpickler):
    """Does not import the modules of functions that a kernel has in it, which take longer than all the rest."""

    def find_class(self, module, name):
        return _environment if name == "_rebuild_env" else super().find_class(module, name)


def _environment(module, constants, name):
    environment = lookup_environment(name)
    if environment is None:
        environment = Environment(vars(sys.modules[module]) if module in sys.modules else {"__name__": module})
        environment.consts[:], environment.env_name = constants, name
        Environment._memo[name] = environment
    return environment


def _described(kind):
    """A type by its name; that of a named tuple does not tell which one it is, nor its fields."""
    more = str(getattr(kind, "instance_class", "")), getattr(kind, "fields", ())
    return repr(kind), more, [_described(part) for part in getattr(kind, "types", ())]
