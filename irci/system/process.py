"""The process: whether it is the command's own, whose it is, its files on the way. Imported before all else; takes no time."""

import os
from _thread import allocate_lock  # what threading.Lock is

is_own = False  # nobody else imports anything in it, so that packages need not be whole

PATIENCE = 5  # seconds that an end waits for a file to be put in place

temporaries: set[str] = set()
changing = allocate_lock()  # held while one is made or put in place; whoever ends the process keeps it


def user() -> int | None:
    """The effective user's id, int; None on systems without such ids (Windows), which do not tell whose a file is."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def remove_temporaries() -> None:
    """Before the process ends: remove what there is. From here on none is made or put in place.

    One that is being put in place for longer than PATIENCE stays: it may be the only whole copy of what is half written.
    """
    if not changing.acquire(timeout=PATIENCE):
        return
    for path in tuple(temporaries):
        try:  # noqa: SIM105  contextlib takes time to import
            os.unlink(path)
        except OSError:
            pass
