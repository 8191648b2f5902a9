"""What several commands say in the same words."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from irci.output.report import as_read


def sentences_of_means(rows: Iterable[tuple[Mapping[str, Any], str]], confidence: float) -> Iterator[str]:
    """A sentence for each mean that has limits: its row, and the words for what varies."""
    for given, what in rows:
        row: Mapping[str, Any] = as_read(given)
        if row["lower"] == row["lower"]:  # else nan
            yield (
                f"{row['run']} scores {row['value']:.4f} in {row['measure']}; {what} it may well score from"
                f" {row['lower']:.4f} to {row['upper']:.4f} (confidence {confidence:g})."
            )
