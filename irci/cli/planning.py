"""The command that writes a plan: what will be tested, fixed before it is."""

from __future__ import annotations

from typing import Any

import click

from irci.base.errors import UsageError, logger
from irci.cli.parameters import RowOption, Typed
from irci.cli.plain import plain_command
from irci.data.receipts import keeping
from irci.options.given import Given, options_of
from irci.options.option import Option
from irci.options.planned import PLANNED, key_of, with_plan
from irci.options.types import STANDARD_STREAM, InputFile, OutputFile, Real, TopicsFile, Whole

MOST_TOPICS = 1_000_000
ROWS = (
    Option("difference", "--difference", Real(1e-9, 1e9), "", "The difference to be seen, with a power of 80%.",
           metavar="AMOUNT"),
    Option("number", "--number", Whole(1, MOST_TOPICS), "",
           "The number of topics.  [default: the last of --looks; else what --difference takes for nine in ten pairs,"
        " with the variance at its upper 80% limit]",
           metavar="N"),
    Option("topics", "--topics", TopicsFile(), "",
           "Topics that may be judged, in an order drawn at random: a comma-separated list, or @FILE with one topic a line.",
           metavar="LIST|@FILE"),
    Option("order_seed", "--order-seed", Whole(0, 2**63 - 1), "", "Seed of that order.", default=1, metavar="N"),
    Option("output", "-o --output", OutputFile(), "", "Write the plan to this file.  [default: -, standard output]",
           default=STANDARD_STREAM, told="-", metavar="FILE"),
)  # fmt: skip


class LikeCompare(click.Command):
    """A command that answers guesses of options as compare does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse words. Raises UsageError."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from irci.cli.guesses import unknown_option

            raise unknown_option("compare", error, words, ctx) from None


@plain_command("plan", "What will be tested, and on how many topics?", LikeCompare)
@click.pass_context
def plan(ctx: click.Context, /, **asked: Any) -> None:
    """Write a plan of a test: measures, baseline, test, the number of topics and their order, before any of them is judged.

    Example: irci plan -o plan.toml --baseline bm25 -m nDCG@10 --number 50

    Most options are those of irci compare, which takes them from the plan: irci compare --plan plan.toml QRELS RUN.... It
    refuses what contradicts the plan, and tells in a column what was planned and what is exploratory.

    With QRELS and RUNs, or --scores, of other topics than those to be tested (last year's, a pilot's), tells how many topics
    a --difference takes, and plans for that number unless --number or --looks gives one. With --topics, those that may be
    judged, the plan has the order in which they are to be judged: tests at looks need one that is drawn at random, and irci
    compare refuses topics that do not follow it.
    """
    try:
        with keeping():
            _write(ctx, asked)
    except UsageError as error:
        raise click.UsageError(str(error), ctx) from None


def _write(ctx: click.Context, asked: dict[str, Any]) -> None:
    from irci.cli.writing import write_text
    from irci.data.plans import Plan
    from irci.studies.commands import answered
    from irci.studies.plan import PlanRequest, planned

    rows = options_of("map-ci")
    words = {key_of(rows[name]): [*asked[name]] if rows[name].many else asked[name] for name in PLANNED if asked[name]}
    if "baseline" not in words:
        raise UsageError("Missing option '--baseline': which run are others to be compared with?")
    words = {"measure": ["map"], **words}
    test = Given.of("compare", with_plan("compare", {"plan": Plan("plan", words)}), {})
    test.check()
    looks = test["looks"] or ()
    pilot = None
    if asked["files"]:
        if asked["difference"] is None:
            raise UsageError("files tell how many topics a --difference takes: add it, or leave them out.")
        chosen = {
            "files": asked["files"],
            "measures": test["measures"],
            "differences": (asked["difference"],),
            **({"scores": True} if asked["scores"] else {}),
        }
        needed = Given.of("wcw", {**chosen, "output_format": "json"}, {})
        needed.check()
        pilot = answered(needed)
    elif asked["difference"] is not None:
        raise UsageError("--difference is for QRELS and RUNs of other topics, which tell how many it takes.")
    number, difference, topics, seed = (asked[name] for name in ("number", "difference", "topics", "order_seed"))
    request = PlanRequest(words, looks, number, difference, topics, seed, alpha=1 - test["confidence"])
    text, sentences = planned(request, pilot)
    write_text(asked["output"], text)
    for sentence in sentences:
        logger.info(sentence)


class Words(RowOption):
    """An option of compare whose words are kept as they are typed; its default is compare's."""

    def __init__(self, row: Option) -> None:
        super().__init__(row)
        self.default = None

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        return value


plan.params[:0] = [
    *(Words(options_of("compare")[name]) for name in PLANNED),
    RowOption(options_of("map-ci")["scores"]),
    *map(RowOption, ROWS),
    click.Argument(["files"], type=Typed(InputFile()), metavar="[QRELS RUN...]", nargs=-1),
]
