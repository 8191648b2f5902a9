"""The first three columns of ap-ci: what trec_eval -q prints."""

from pathlib import Path

from click.testing import CliRunner

from irci.cli.group import main

COLUMNS = 3
# What is no number, and what is defined another way where all that is retrieved is judged.
LEFT_OUT = (b"runid", b"relstring")
RESIDUAL = b"rbp_resid"


def first_columns(measures: list[str], *arguments: str | Path) -> list[bytes]:
    """What `irci ap-ci -q -m ... | grep -v '^#' | cut -f1-3` prints."""
    chosen = [part for measure in measures for part in ("-m", measure)]
    result = CliRunner().invoke(main, ["ap-ci", "-q", "--quiet", "-B", "0", *chosen, *map(str, arguments)])
    assert result.exit_code == 0, result.output
    lines = (line for line in result.stdout_bytes.splitlines() if not line.startswith(b"#"))
    return [b"\t".join(line.split(b"\t")[:COLUMNS]) for line in lines]


def without_residuals(lines: list[bytes]) -> list[bytes]:
    """The lines that must be the same, in their order."""
    return [line for line in lines if not line.startswith((RESIDUAL, *LEFT_OUT))]
