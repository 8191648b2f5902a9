"""Discriminative power: the share of pairs that a bootstrap test tells apart."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.data.scores import Scores
from irci.methods.swap_error.discriminative_power import Power, discriminative_power
from irci.output.report import Report, Row, Table, tables
from irci.studies.swap_error.names import pair_names
from irci.studies.swap_error.settings import Settings


def powers(settings: Settings, table: Scores) -> Report:
    """For each level the share of pairs and the difference required, or each pair's achieved level."""
    pairs = pair_names(table.runs)
    found = {
        measure: discriminative_power(values, settings.alphas, settings.resamples, settings.seed)
        for measure, values in table.values.items()
    }

    def drawn() -> list[Table]:
        return [each for measure, of in found.items() for each in tables("level", measure, _rows_of_levels(of, pairs))]

    def printed() -> list[Table]:
        return [each for measure, of in found.items() for each in tables("discriminative_power", measure, _rows(of))]

    return Report(
        tables=drawn() if settings.figures else printed(),
        signature={
            "alphas": " ".join(map(str, settings.alphas)),
            "resamples": settings.resamples,
            "seed": settings.seed,
        },
        explain=lambda: (sentence for measure, of in found.items() for sentence in _sentences(measure, of)),
        drawn=drawn,
    )


def _rows(found: Power) -> Iterator[Row]:
    shares, differences = found.shares().tolist(), found.differences().tolist()
    for alpha, share, difference in zip(found.alphas, shares, differences, strict=True):
        yield {"alpha": alpha, "share": share, "difference": difference, "pairs": len(found.asl)}


def _rows_of_levels(found: Power, pairs: Sequence[str]) -> Iterator[Row]:
    """The curve of achieved significance levels, from the largest down."""
    for rank, place in enumerate(np.argsort(-found.asl, kind="stable").tolist(), 1):
        yield {
            "rank": rank, "asl": float(found.asl[place]), "difference": float(found.difference[place]),
            "pair": pairs[place],
        }  # fmt: skip


def _sentences(measure: str, found: Power) -> Iterator[str]:
    for row in _rows(found):
        yield (
            f"At level {row['alpha']:g}, {row['share']:.1%} of {row['pairs']} pairs differ in {measure}; with as many"
            f" topics, a difference of {row['difference']:.4f} would have been found for every pair."
        )
