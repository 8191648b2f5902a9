"""Files on the way, which whoever ends the process removes. Imported before all else: it takes no time."""

import os
from _thread import allocate_lock  # what threading.Lock is

PATIENCE = 5  # seconds that an end waits for a file to be put in place

paths: set[str] = set()
changing = allocate_lock()  # held while one is made or put in place; whoever ends the process keeps it


def remove_all() -> None:
    """Before the process ends: remove what there is. From here on none is made or put in place.

    One that is being put in place for longer than PATIENCE stays: it may be the only whole copy of what is half written.
    """
    if not changing.acquire(timeout=PATIENCE):
        return
    for path in tuple(paths):
        try:  # noqa: SIM105  contextlib takes time to import
            os.unlink(path)
        except OSError:
            pass
