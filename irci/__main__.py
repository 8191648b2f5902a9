"""The command `irci`, which is also `python -m irci`."""

import atexit
import gc
import os

from irci import system

# Where numpy's OpenBLAS finds how many threads to use.
THREADS_OF_BLAS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


def main() -> None:
    """Run the command as a process of its own; signals are seen to before the rest is imported."""
    try:
        system.end_at_signals()
        gc.disable()  # importing makes objects and no garbage; arrays need no collector
        system.open_standard_streams()
        system.is_own = True
        if not any(name in os.environ for name in THREADS_OF_BLAS):
            # A second thread waits by running, from the moment that numpy is loaded.
            os.environ[THREADS_OF_BLAS[0]] = "1"
        from irci.cli.group import main as command

        command(prog_name="irci")
    except SystemExit as end:
        # All has been written and closed; to take apart what numba has made takes a fifth of a second.
        atexit._run_exitfuncs()
        os._exit(end.code if isinstance(end.code, int) else 1)
    except (OSError, ImportError) as error:  # too few open files, a folder that cannot be read
        os.write(2, f"irci: cannot start ({error})\n".encode(errors="backslashreplace"))
        os._exit(4)


if __name__ == "__main__":
    main()
