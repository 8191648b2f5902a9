"""Options of intervals, resamples and seeds; and of output: how results are written, sorted, drawn and saved."""

from irci.base import choices, either
from irci.options.asked import Asked, Need, Option
from irci.options.commands import but, carried, kind_of_table, only
from irci.options.scoring import EVERY
from irci.options.types import (
    BETWEEN_0_AND_1,
    ENDS_OF_SCALE,
    FLAG,
    FRACTION,
    OUTPUT,
    PICTURE,
    STANDARD_STREAM,
    WIDTH,
    Type,
    choice,
    numbers,
    whole,
)
from irci.system import processors

LARGEST_SEED = 2**63 - 1
MOST_RESAMPLES = 10_000_000
MOST_THREADS = 1024
ENDINGS = ", ".join(f".{end} ({name})" if end != name else f".{end}" for end, name in choices.OF_ENDING.items())
MOST_DIGITS = 17  # of a double
RESAMPLES = whole(0, MOST_RESAMPLES, {1: "one resample has no spread: use more, or 0 for scores without limits."})
TWO_OR_MORE = whole(2, MOST_RESAMPLES)
DRAWN: Need = (
    lambda asked: asked.has_draws or asked.save_plan is not None,
    "{} is for random draws, and nothing is drawn here.",
)


def _has_scores_alone(asked: Asked) -> bool:
    """True if all that is asked of map-ci can be said without resamples."""
    ranks = asked.ranks and asked.correction != "holm" and "same-topics" not in asked.over
    is_drawn = asked.test in ("randomization", "wilcoxon") or asked.correction == "maxt" or "both" in asked.over
    return not (ranks or is_drawn or asked.meta or asked.best)


def _interval(raw: object) -> str:
    """A kind of interval over topics, of which a prediction may be for a number of topics: prediction:50."""
    kind, colon, number = str(raw).partition(":")
    if kind == "prediction" and colon:
        return f"{kind}:{whole(1, 1_000_000).value(number)}"
    return str(choice(choices.TopicInterval).value(raw))


TOPIC_INTERVAL: Type = choice(choices.TopicInterval)._replace(value=_interval)
SMALL_R = Option("small_r", "--small-r", choice(choices.SmallR), [but("ap-ci", "judgments")],
    "Correction where AP is near 0 or 1 and few documents are relevant: use the wider of the topic's own interval and"
    " the interval for AP = 0 or 1, or none of it, in the interval of the mean either.", default="wider")  # fmt: skip
SEED = Option("seed", "--seed", whole(0, LARGEST_SEED),
    [but("ap-ci", "judgments"), only("partition-anova"), but("swap-error", "counts"), only("judges")],
    "Seed of the random numbers.", default=1)  # fmt: skip

INTERVALS = (
    Option("population", "--population", choice(choices.ApPopulation), [only("ap-ci", "judgments", "intervals")],
        "What varies: the documents; or judgments, for bounds over all grades up to --max-grade that unjudged"
        " documents could have, those down to a measure's cutoff: no confidence intervals.", default="documents",
        cites={"judgments": "moffat2008"}),
    Option("interval", "--interval", TOPIC_INTERVAL, [carried("interval")],
        "Interval over topics: by t; bounded by the ends of the scale; auto: t, or bounded where scores are 0 or 1 or"
        " hardly vary; prediction:50: for the mean of 50 new topics (of as many as now; of another collection). Over"
        " documents: parametric, as the paper prefers for MAP; linear, from resampled means; auto: linear, for map the"
        " wider.  [default: auto]",
        needs=[
            (lambda asked: asked.interval in choices.OVER_DOCUMENTS or "topics" in asked.over,
             "{} {asked.interval} needs --population topics."),
            (lambda asked: asked.interval not in choices.OVER_DOCUMENTS or "documents" in asked.over,
             "{} {asked.interval} needs --population documents.")],
        cites=dict.fromkeys(("auto", "bounded"), "gaffke2005 learned2020 fagerland2013")),
    Option("range", "--range", ENDS_OF_SCALE, [carried("range")],
        "The lowest and highest score of the measures, such as 0,100 for percentages. Margins are in these units. "
        " [default: 0,1 of known measures, and of others whose scores lie there]",
        needs=[
            (lambda asked: asked.scores or {"topics", "clusters"} & {*asked.over},
             "{} is for limits over topics or clusters."),
            (lambda asked: asked.scores or asked.interval not in ("t", "prediction"),
             "{} is for bounded intervals: leave out --interval {asked.interval}.")]),
    Option("interval", "--interval", choice(choices.ApInterval), [only("ap-ci", "intervals")],
        "Kind of interval for each topic; that of the mean is linear (map-ci --population documents: the paper's for"
        " MAP). parametric: from a closed form, without resamples; bca and parametric are for map alone.  [default:"
        " for map logit, for other measures percentile]"),
    Option("confidence", "--confidence", FRACTION,
        [but("ap-ci", "judgments"), but("map-ci", "judgments"), only("stdap-ci", "means", "published"), only("judges")],
        "Confidence level of the intervals, as a fraction.", default=0.95,
        short=dict.fromkeys(("ap-ci", "map-ci", "stdap-ci"), "confidence level of the intervals  [0.95]")),
    Option("confidence", "--confidence", numbers(*BETWEEN_0_AND_1), [only("partition-anova")],
        "Confidence levels: of the intervals the first, which also decides on single pairs; at each of them pairs that"
        " differ are counted (alpha is 1 less the level).  [default: 0.95,0.99]", default=(0.95, 0.99),
        default_shown=""),
    Option("resamples", "-B --resamples", RESAMPLES, [carried("resamples", "validate")],
        "Number of resamples; 0 prints scores without limits.", default=2000,
        default_shown="(2000; for sign flips 20,000, or 10,000 for all pairs)",
        needs=[
            (lambda asked: asked.resamples != 0 or _has_scores_alone(asked),
             "{} 0 prints scores alone: what is asked for needs resamples: use -B 2 or more."), DRAWN]),
    Option("resamples", "-B --resamples", RESAMPLES, [but("ap-ci", "judgments")],
        "Number of resamples; 0 prints scores without limits.", default=2000,
        short="number of resamples; 0: no limits  [2000]",
        needs=[(lambda asked: asked.interval != "parametric", "{}: --interval parametric takes no resamples.")]),
    Option("resamples", "-B --resamples", TWO_OR_MORE, [only("swap-error", "discriminative-power")],
        "Number of resamples.  [default: 1000]"),
    Option("resamples", "-B --resamples", TWO_OR_MORE, [only("judges")], "Number of resamples of the topics.",
        default=2000),
    Option("resamples", "-B --resamples", TWO_OR_MORE, [only("partition-anova")], "Number of resamples.",
        default=10_000),
    SEED,
    SEED._replace(takes=[but("map-ci", "judgments", "judge")], needs=[DRAWN]),
    SEED._replace(takes=[but("stdap-ci", "published")],
        needs=[(lambda asked: asked.validate is not None or str(asked.reference).startswith("random:"),
                "{} is for --reference random:N or --validate: nothing else is drawn.")]),
    SMALL_R,
    SMALL_R._replace(takes=[carried("small_r", "validate")],
        needs=[(lambda asked: "documents" in asked.over or asked.validate is not None,
                "{} needs --population documents.")]),
)  # fmt: skip
OUTPUTS = (
    Option("output_format", "--format", choice(choices.Format), EVERY,
        "Format; tsv, csv, json and jsonl have full precision, html is a page with pictures and settings.",
        default="text", short="text, table, csv, tsv, json, latex, markdown, html", python=False),
    Option("layout", "--layout", choice(choices.Layout),
        [but("ap-ci", "validate"), but("map-ci", "judge", "validate"), but("stdap-ci", "published")],
        "long: a row an estimate; wide: a paper's table, a row a run and a column a measure.  [default: wide in latex"
        " and markdown, where it leaves nothing out; else long]",
        short={"compare": "long, or wide: a table for a paper, a line a run"}, python=False),
    Option("limits", "--limits", choice(choices.Limits), [only("ap-ci"), only("map-ci"), only("stdap-ci")],
        "Limits in the wide layout.  [default: brackets, but none in a table wider than 160 letters]", python=False),
    *(
        Option("tables", "--table", kind_of_table(command), [(command, uses)],
            f"Print only tables of this kind; repeatable: {', '.join(kind_of_table(command).words())}.", many=True,
            short="print only tables of this kind", python=False)
        for command, uses in EVERY
    ),
    Option("digits", "--digits", whole(1, MOST_DIGITS), EVERY,
        f"Decimals in {either(choices.FOR_READING, 'and')}; p-values have up to four significant digits.", default=4,
        python=False,
        needs=[(lambda asked: asked.output_format in choices.FOR_READING,
                f"--digits is for {', '.join(choices.FOR_READING)}; {{asked.output_format}} has full precision.")]),
    Option("sort", "--sort", choice(choices.Sort),
        [but("ap-ci", "validate"), but("map-ci", "validate"), only("partition-anova"), but("stdap-ci", "validate")],
        "Sort runs or pairs by value, best first, or by name.  [default: as given]"),
    Option("output", "-o --output", OUTPUT, EVERY,
        f"Write to this file, whole or not at all, in the format of its ending: {ENDINGS}.  [default: standard output]",
        default=STANDARD_STREAM, default_shown="", python=False,
        short="write to this file, in the format of its ending"),
    Option("plot", "--plot", PICTURE, EVERY, "Also draw the result: .png, .svg or .pdf (takes matplotlib).",
        short="also draw the result: .png, .svg or .pdf", python=False,
        needs=[(lambda asked: asked.validate is None or asked.command.name == "stdap-ci",
                "--validate does not take {}: there is nothing to draw.")]),
    Option("plot_width", "--plot-width", WIDTH, EVERY,
        "Width of the picture in print: column (3.3 inches), page (7), or inches.  [default: page]",
        python=False, needs=[(lambda asked: asked.plot, "{} is the width of a picture: add --plot FILE.")]),
    Option("explain", "--explain", FLAG, EVERY, "Explain the result in words, and print all notices.",
        short="explain the result in plain words", python=False),
    Option("cite", "--cite", FLAG, EVERY, "Print BibTeX entries for what these options use, and exit.", python=False),
    Option("save_scores", "--save-scores", OUTPUT,
        [but("ap-ci", "validate"), but("map-ci", "judge", "validate"), but("stdap-ci", "published")],
        "Write all scores to this file too, for --scores; cat joins several."),
    Option("save_factors", "--save-factors", OUTPUT, [only("stdap-ci", "means")],
        "Save the factors to this file, for --reference.", short="save the factors for later use",
        needs=[
            (lambda asked: asked.standardise != "none", "{}: --standardise none makes no factors."),
            (lambda asked: asked.reference != "others",
             "--reference others makes factors for each run: leave out {}.")]),
    Option("quiet", "--quiet", FLAG, EVERY, "Do not print warnings; a page lists them.", python=False),
    Option("threads", "--threads", whole(1, MOST_THREADS), EVERY, "Number of threads.", default=processors,
        default_shown="(all processors)"),
)  # fmt: skip
