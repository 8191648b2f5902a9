"""numba's `njit`, but for where and how compiled code is kept: the only place that knows numba from inside.

numba looks at a kernel's own file only, so that code with a helper of before in it would go on being used; it refuses to
work without a folder that can be written, and trusts what it finds there. If another numba is other inside, nothing is kept.

What numba would keep is a pickle, and so it is here: a folder of kernels is to be trusted as far as one of programs.
"""

import pickle
from contextlib import suppress
from hashlib import sha256

import numpy as np

from irci import native
from irci.native import objects
from irci.native.store import Store, folders

native.load_numba()

import llvmlite  # noqa: E402
import numba  # noqa: E402

# Settings that change no compiled code.
NO_CODE = {"CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEFAULT_NUM_THREADS"}


def _settings() -> str:
    # By which numba compiles now, wherever it has them from: the environment, .numba_config.yaml.
    return repr(sorted(each for each in vars(numba.config).items() if each[0].isupper() and each[0] not in NO_CODE))


SETTINGS = _settings()
STORE = Store((numba.__version__, llvmlite.__version__, np.__version__, SETTINGS), folders())


def njit(cache=False, **options):
    """The decorator `numba.njit`, with `cache` for kernels that are kept in the store."""

    def decorate(function):
        dispatcher = numba.njit(**options)(function)
        if cache:
            dispatcher._cache = _Kept(function)
        return dispatcher

    return decorate


class _Kept:
    """What numba asks a function's cache for. No error in it is worth more than compiling anew."""

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
        if ours and native.numba_is_ours and objects.has_no_settings() and _settings() == SETTINGS:
            with suppress(Exception):
                objects.keep(self.function, reduced)

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
