"""Guesses that fail: right means that what is meant is told, in words that can be typed again."""

import shlex
from pathlib import Path
from shutil import copy

import pytest
from command_lines import printed
from helpers import SMALL

from irci.options.rows import measures_of

NO_FILE = "no such file or directory"
ALPHA = SMALL / "runs" / "alpha.run"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """q.txt, a.run and `b c.run`, in the folder that commands are typed in."""
    copy(SMALL / "qrels.txt", tmp_path / "q.txt")
    copy(ALPHA, tmp_path / "a.run")
    (tmp_path / "b c.run").write_text(ALPHA.read_text().replace("alpha", "beta"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("nDCG@10,AP", ["nDCG@10", "AP"]),
        ("P.5,10", ["P_5", "P_10"]),
        ("P.5,10,AP", ["P_5", "P_10", "AP"]),
        ("nDCG(dcg='exp-log2',cutoff=10)", ["nDCG(dcg='exp-log2')@10"]),
        ("AP(rel=2)@5, RR,rbp_p=.5,p=.8", ["AP(rel=2)@5", "RR", "rbp_p=.5", "rbp_p=.8"]),
    ],
)
def test_commas_between_measures(typed: str, names: list[str]) -> None:
    assert set(measures_of([typed], "map-ci", {})) == set(measures_of(names, "map-ci", {}))


def test_commas_in_names_of_scores() -> None:
    """A name that no measure has stays whole; names of measures come apart there too."""
    found = measures_of(["AP, strict", "map,P_10"], "map-ci", {"scores": True})
    assert {each.name for each in found} == {"AP, strict", "map", "P_10"}


@pytest.mark.parametrize(
    ("typed", "status", "told"),
    [
        ("compare --test anything q.txt a.run", 2, "'sign'.\n"),
        ("partition-anova --scores -x 3 q.txt", 2, "--scores is for --versions.\n"),
        ("partition-anova -x x --splits 3 q.txt r", 2, "leave out --splits.\n"),
        ("ap-ci", 2, "Usage: irci ap-ci [OPTIONS] QRELS RUN...\n"),
        ("ap-ci", 2, "Missing argument 'QRELS RUN...'.\n"),
        ("ap-ci --interval bayes q.txt x", 2, "'bayes' is not one of 'logit', 'linear', 'percentile', "),
        ("ap-ci --interval bca -m P_10 q.txt x", 2, "--interval bca is for map, not for P_10.\n"),
        ("compare --population Topic q.txt a.run", 2, "'Topic' is not one of 'topics', "),
        ("compare --clusters 'a(.)(.)' q.txt a.run", 3, f"irci: a(.)(.): {NO_FILE}\n"),
        ("compare --layout wide --format latex --margin .02 q.txt a.run b.run", 2, "leave it out here, and print its table"),
        ("map-ci q.txt", 2, "QRELS come first: q.txt RUN..."),
        ("compare q.txt a.run", 2, "fewer files given than QRELS BASELINE RUN...: a baseline and a run are expected."),
        ("compare q.txt", 2, "fewer files given than QRELS BASELINE RUN..."),
        ("compare q.txt a.run ./a.run", 4, "given twice as a run: leave it out once; --baseline NAME names one of RUNs\n"),
        ("compare q.txt a.run b.run", 3, f"irci: b.run: {NO_FILE}\n"),
        ("map-ci q.txt .", 3, "irci: .: is a directory\n"),
    ],
)  # fmt: skip
def test_the_option_or_the_file_that_is_meant(typed: str, status: int, told: str) -> None:
    assert told in printed(*shlex.split(typed), status=status)
