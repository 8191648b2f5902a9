"""The same checks led by which lines of irci they reach, by atheris, which is no requirement of the tests:

    pip install atheris
    python tests/fuzzing/by_coverage.py TARGET FOLDER [-max_total_time=60] [other options of libFuzzer]

FOLDER keeps what reached something new, and begins with the files that the other mutants are made of. A finding ends it, and
its file is left in the current folder.
"""

import importlib
import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# What numba compiles has to stay as it is, and so is imported first.
for path in sorted((Path(__file__).resolve().parent.parent.parent / "irci" / "kernels").glob("[a-z]*.py")):
    importlib.import_module(f"irci.kernels.{path.stem}")
with atheris.instrument_imports(include=["irci"]):
    import irci.cli.group
    import irci.data.part_scores
    import irci.data.ranking_files
    import irci.data.score_files
    import irci.data.versions
    import irci.studies.swap_error  # noqa: F401

from fuzzing.findings import limits, outcome
from fuzzing.options import CommandLines
from fuzzing.targets import LINES, SEEDS, TARGETS, corpus, warm_up

LINES_TO_BEGIN_WITH = 300


def main(name: str, folder: str, *options: str) -> None:
    """Give a target what atheris thinks of."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    make = CommandLines(0).line
    begin = [make() for _ in range(LINES_TO_BEGIN_WITH)] if name == LINES else SEEDS[name]
    for number, data in enumerate([*begin, *(path.read_bytes() for path in corpus(name))]):
        (Path(folder) / f"seed-{number}").write_bytes(data)
    warm_up(lines=name == LINES)

    def check(data: bytes) -> None:
        outcome(name, TARGETS[name], data)

    # Its own alarm would be in the way of that of `outcome`.
    atheris.Setup([sys.argv[0], folder, "-timeout=0", *options], check)
    with limits():
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
