"""map-ci where topics belong together: options, what they do not go with, and what they do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

import click

from irci.base.choices import (
    MeanOf,
    MeanOverClusters,
    Population,
    SeedVariance,
    StructuredInterval,
    StructuredTest,
    Varies,
)
from irci.base.errors import UsageError
from irci.cli import options
from irci.cli.command import Given
from irci.cli.parameters import InputFile
from irci.cli.rules import ClustersRule, SeedsRule, VersionsRule

if TYPE_CHECKING:
    from irci.data.scores import Scores
    from irci.output.report import Report
    from irci.studies.structured.settings import Settings

# What says how topics (or runs) belong together, one at a time.
STRUCTURES = ("clusters", "collections", "seeds", "versions")
# What is for some of these only.
OF_STRUCTURES = {"mean": ("clusters", "collections", "versions"), "seed_variance": ("seeds",)}
# What is about documents, single topics or people's judgments, or not worked out for topics that belong together.
NOT_FOR_STRUCTURES = (
    "per_topic", "method", "pairing", "power", "new_topics", "meta", "slots", "small_r",
    "no_small_r", "validate", *options.VALIDATION, "unjudged", "tail", "judge", "lam", "level_b", "sample",
)  # fmt: skip


def clusters_with(note: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--clusters, with what a command does with them."""
    return click.option(
        "--clusters",
        type=ClustersRule(),
        metavar="FILE|REGEX",
        help="Topics come in clusters (of one template, one document, ...), which vary as a whole: a file of lines with topic"
        f" and cluster, or a regular expression with a group (?P<cluster>) that matches topic ids. {note}",
    )


clusters = clusters_with("Prints limits for other clusters, and for other topics of these.")
collections = click.option(
    "--collections",
    type=InputFile(),
    metavar="FILE|FOLDER",
    help="In place of QRELS and RUNs: runs of the same names on several collections, from a file of lines with name, qrels and"
    " runs (with --scores, name and files of scores), or a folder with NAME/qrels.txt and NAME/runs/*. Prints a row for each"
    " collection, and the mean over them with limits for other collections, and for other topics of these. A table of scores"
    " with a column `collection` needs no option.",
)
versions = click.option(
    "--versions",
    type=VersionsRule(),
    metavar="FILE|REGEX",
    help="Topics have several versions of their query: a regular expression with groups (?P<topic>) and (?P<version>) for"
    " topic ids, or (?P<system>) and (?P<version>) for run names; or a file with the columns run, system, version, or run,"
    " topic id, system, topic, version. Prints limits for other topics, and for other versions of these.",
)
seeds = click.option(
    "--seeds",
    type=SeedsRule(),
    metavar="FILE|REGEX",
    help="Systems are trained several times, each run from another seed: a file of lines with run, system and seed, or a"
    " regular expression with groups (?P<system>) and (?P<seed>) that matches run names. Prints limits for systems trained"
    " again, on other topics, and for these checkpoints on other topics.",
)
seed_variance = click.option(
    "--seed-variance",
    type=click.Choice(get_args(SeedVariance)),
    help="With --seeds: how systems vary from seed to seed is estimated for each by itself (own), or for the two of a pair"
    " together, as if both varied alike (pooled), which is better with two or three seeds.  [default: own]",
)
mean = click.option(
    "--mean",
    type=click.Choice(get_args(MeanOf)),
    help="What a mean gives the same weight: topics, or clusters or collections of them.  [default: topics; of several"
    " collections, collections]",
)

mean_over_clusters = click.option(
    "--mean",
    type=click.Choice(get_args(MeanOverClusters)),
    help="With --clusters: what a mean gives the same weight.  [default: topics]",
)


def structures(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of structured topics, in the order of the help."""
    for option in (mean, versions, seed_variance, seeds, collections, clusters):
        command = option(command)
    return command


def is_structured(given: Given) -> bool:
    """Whether any structure is asked for, and only one."""
    asked = [name for name in STRUCTURES if given[name] is not None]
    if len(asked) > 1:
        raise UsageError(f"{given.spelling(asked[0])} and {given.spelling(asked[1])} do not go together.")
    return bool(asked)


def refuse_of_structures(given: Given, asked: str | None = None) -> None:
    """Refuse what means nothing without a structure, or for the one asked for."""
    for option, of in OF_STRUCTURES.items():
        if asked not in of:
            *others, last = map(given.spelling, of)
            asks = f"{', '.join(others)} or {last}" if others else last
            given.refuse(option, message="{} is for " + f"{asks}.")
    if asked is None and given["population"] in set(get_args(Varies)) - set(get_args(Population)):
        raise UsageError(f"--population {given['population']} is for --{given['population']}.")


def of_structure(given: Given) -> Report:
    """What is found of the structure asked for."""
    asked = next(name for name in STRUCTURES if given[name] is not None)
    if asked == "collections":
        return of_collections(given)
    given.refuse(*NOT_FOR_STRUCTURES, message="{} is not for " + f"{given.spelling(asked)}.")
    refuse_of_structures(given, asked)
    given.refuse_nothing("compare", "baseline", "all_pairs", "ranks")
    return {"clusters": _of_clusters, "seeds": _of_seeds, "versions": _of_versions}[asked](given)


def _of_clusters(given: Given) -> Report:
    from irci.studies.structured.clusters import clustered

    mean: MeanOf = given["mean"] or "topics"
    if mean not in ("topics", "clusters"):
        raise UsageError(f"--mean {mean}: with --clusters a mean is of topics or of clusters.")
    return clustered(_settings(given, "--clusters"), given.inputs(), given["clusters"], mean)


def of_collections(given: Given, tables: Sequence[Scores] | None = None) -> Report:
    """What is found of the collections that are listed, or that tables of scores name, which may have been read."""
    from irci.cli.outputs import refuse_inputs
    from irci.data.inputs import read_collection_list, refuse_one
    from irci.data.score_tables import read_tables
    from irci.studies.structured.collections import collected

    asks = "several collections"
    refuse_of_structures(given, "collections")
    given.refuse("runs_from", "topics", "collection", *NOT_FOR_STRUCTURES, message="{} is not for " + f"{asks}.")
    given.refuse_nothing("compare", "baseline", "all_pairs", "ranks")
    mean: MeanOf = given["mean"] or "collections"
    if mean == "clusters":
        raise UsageError(f"--mean clusters: with {asks} a mean is of topics or of collections.")
    settings, inputs = _settings(given, asks), given.inputs()
    where: str | None = given["collections"]
    if where is None:
        found = read_tables(inputs, [each.base for each in settings.measures]) if tables is None else tables
        if len(found) == 1:
            asked = "mean" if given["mean"] is not None else "population"
            message = f"{given.spelling(asked)} {given[asked]} is for several collections: these are scores of one."
            raise UsageError(message)
        refuse_one([str(table.collection) for table in found], ", ".join(inputs.files))
        return collected(settings, inputs, found, mean)
    if inputs.files:
        raise UsageError("--collections names qrels, runs and files of scores: leave out other files.")
    several = read_collection_list(where, scores=inputs.scores)
    refuse_inputs(given.context, [file for each in several for file in each.files])
    return collected(settings, inputs, several, mean)


def _of_seeds(given: Given) -> Report:
    from irci.studies.structured.seeds import seeded

    return seeded(_settings(given, "--seeds"), given.inputs(), given["seeds"], given["seed_variance"] or "own")


def _of_versions(given: Given) -> Report:
    from irci.studies.structured.versions import on_versions

    if given["mean"] not in (None, "topics"):
        raise UsageError(f"--mean {given['mean']}: with --versions a mean is of topics, each the mean of its versions.")
    return on_versions(_settings(given, "--versions"), given.inputs(), given["versions"])


def _settings(given: Given, asks: str) -> Settings:
    """What all structures are asked; refuses values of options that mean nothing there."""
    from irci.studies.structured.settings import Settings

    for option, possible in (
        ("population", get_args(Varies)),
        ("test", get_args(StructuredTest)),
        ("interval", get_args(StructuredInterval)),
    ):
        if given[option] is not None and given[option] not in possible:
            raise UsageError(f"{given.spelling(option)} {given[option]} is not for {asks}.")
    # -B is of signs, if it is given.
    return given.record(Settings, **({} if given.has("resamples") else {"resamples": None}))
