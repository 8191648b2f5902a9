"""Build a wheel that carries its kernels: python wheels/build.py [FOLDER]

A copy of the checkout's tracked files gets the folder `irci/native/ready` with libraries of its kernels (`library.py`), one
for each level of processors. Of it a wheel for this kind of Python is made, which does not need numba, and auditwheel says for
which systems it is. Needs gcc 12 or newer, objcopy and git.
"""

import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from library import NUMBA, run

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "wheel"
SOURCE = BUILD / "source"


def copy_checkout() -> None:
    """The tracked files, as they are now."""
    shutil.rmtree(BUILD, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    run("cp", "--parents", "--preserve", *filter(None, tracked.split("\0")), SOURCE, cwd=ROOT)


def change_project() -> None:
    """The copy's pyproject.toml: without numba, with the licences of what is in the libraries."""
    path = SOURCE / "pyproject.toml"
    text = path.read_text()
    for pattern, new in (
        (r'^ +"numba>=.*",\n', ""),
        (r'^license = "MIT"$', 'license = "MIT AND BSD-2-Clause"'),
        (r'^license-files = \["LICENSE"\]$', 'license-files = ["LICENSE", "LICENSE*.numba"]'),
    ):
        text, number = re.subn(pattern, new, text, flags=re.MULTILINE)
        if number != 1:
            raise SystemExit(f"pyproject.toml: {number} matches of {pattern}")
    path.write_text(text)
    licences = NUMBA.parent / f"numba-{version('numba')}.dist-info" / "licenses"
    for licence in sorted(licences.rglob("LICENSE*")):
        shutil.copy(licence, SOURCE / f"{licence.name}.numba")


def make_ready(levels: tuple[str, ...] = ("x86-64-v3", "x86-64")) -> None:
    """Make the copy's folder of libraries."""
    made, ready = BUILD / "libraries", SOURCE / "irci" / "native" / "ready"
    made.mkdir()
    run(sys.executable, Path(__file__).with_name("library.py"), made, *levels, cwd=SOURCE)
    shutil.copytree(made, ready, ignore=shutil.ignore_patterns(*levels))


def main(folder: str = "dist") -> None:
    """Build the wheel into a folder."""
    copy_checkout()
    make_ready()
    change_project()
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", BUILD, SOURCE)
    (wheel,) = BUILD.glob("*.whl")
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", ROOT / folder, wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
