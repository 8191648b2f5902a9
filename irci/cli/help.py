"""What -h and --help say: a screen with the options that most people need, and all of them; both under the same headings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

# Every option of every command, by the name of its parameter, in the order of the help.
HEADINGS: dict[str, tuple[str, ...]] = {
    "What to score": (
        "measures", "relevance_level", "max_grade", "depth", "judged_only", "ties", "complete", "missing", "no_relevant",
        "topics", "sample", "per_topic", "no_summary", "standardise", "transform", "reference",
        "reference_sample", "leave_one_out", "ddof", "parts", "splits", "parts_file", "policy", "versions", "variances",
        "residual", "pool", "icc", "cluster_size",
    ),
    "Compare": (
        "compare", "baseline", "all_pairs", "population", "clusters", "collections", "seeds", "seed_variance", "mean", "judge",
        "lam", "test", "correction", "adjusted_limits", "ranks", "equivalence", "power", "fail_if", "pairing", "meta", "model",
        "residuals", "draw", "p_value", "tests", "test_correction", "alphas", "alpha", "beta", "pairs", "groups", "procedure",
        "other_qrels",
        "level_b", "common", "labels_only", "weights", "group", "fuzziness", "base", "counts", "matrix", "sizes", "sets",
        "designs", "trials", "at", "relative", "fit", "max_rate", "widths", "systems", "tools", "curve", "approximate",
        "judge_correlation", "judged_topics", "summaries", "any_reference", "type_one", "replace",
    ),
    "Intervals": (
        "unjudged", "tail", "interval", "kappa_interval", "method", "confidence", "resamples", "seed", "new_topics", "slots",
        "small_r", "no_small_r", "epsilon", "bca_ties", "bca_quantile",
    ),
    "Input": ("scores", "scores_format", "runs_from", "names", "factors"),
    "Output": (
        "output_format", "layout", "limits", "tables", "digits", "sort", "show_width", "output", "plot", "explain", "cite",
        "save_scores", "collection", "save_factors", "write_parts", "quiet", "progress", "threads", "version", "short_help",
        "help",
    ),
    "Replicating a paper": ("published", "validate", "split_by", "figures", "noncentrality", "increment"),
}  # fmt: skip
# Those of --validate come with it where splits are nothing else.
OF_VALIDATION = {"splits": "Replicating a paper"}

Lines = tuple[tuple[str, str], ...]
MEASURE = ("-m, --measure MEASURE", "map (the default), P_10, ndcg_cut_10, nDCG@10, ...")
PER_TOPIC = ("-q, --per-topic", "also print a line for each topic")
LEVEL = ("-l, --relevance-level N", "lowest grade that counts as relevant  [1]")
SCORES = ("--scores", "read scores: trec_eval -q output, csv, a matrix, ...")
CONFIDENCE = ("--confidence P", "confidence level of the limits  [0.95]")
ENDING: Lines = (
    ("--format FORMAT", "text, table, csv, tsv, json, latex, markdown or html"),
    ("--table KIND", "print only tables of this kind"),
    ("--explain", "explain the result in plain words"),
    ("--plot FILE", "also draw the result: .png, .svg or .pdf"),
    ("-o, --output FILE", "write the output to this file"),
    ("--help", "show all options"),
)
# What -h shows, heading by heading; and two examples: what for, and the line.
SHORT: dict[str, dict[str, Lines]] = {
    "map-ci": {
        "What to score": (MEASURE, LEVEL, PER_TOPIC),
        "Compare": (
            ("--compare", "compare every run with the first"),
            ("--baseline NAME", "compare every run with this one"),
            ("--all-pairs", "compare every pair of runs"),
            ("--ranks", "which places each run may have, and which runs differ"),
            ("--population WORD", "what varies: documents, topics, both or judgments"),
        ),
        "Intervals": (CONFIDENCE,),
        "Input": (SCORES,),
        "Output": ENDING,
    },
    "ap-ci": {
        "What to score": (MEASURE, LEVEL, ("-M, --depth N", "use only the first N documents of each topic"), PER_TOPIC),
        "Intervals": (CONFIDENCE, ("-B, --resamples N", "number of resamples; 0: no limits  [2000]")),
        "Output": ENDING,
        "Replicating a paper": (("--validate", "how often intervals contain scores on the other half"),),
    },
    "partition-anova": {
        "What to score": (
            MEASURE, LEVEL, ("-x N", "number of parts  [2]"), ("--splits N", "number of splits  [1]"),
            ("--policy WORD", "what if a part has no relevant document for a topic"),
        ),
        "Compare": (("--pairs", "list all pairs"), ("--correction WORD", "adjust p: bh, holm or none")),
        "Output": ENDING,
        "Replicating a paper": (("--published", "compute as in the paper"),),
    },
    "stdap-ci": {
        "What to score": (
            MEASURE, PER_TOPIC, ("--transform WORD", "z, cdf, ab or none"),
            ("--reference RUN,...", "standardise by these runs"),
        ),
        "Intervals": (CONFIDENCE,),
        "Input": (SCORES, ("--factors FILE", "standardise by saved factors")),
        "Output": (*ENDING[:-1], ("--save-factors FILE", "save the factors for later use"), ENDING[-1]),
    },
    "swap-error": {
        "What to score": (MEASURE, LEVEL),
        "Compare": (
            ("--procedure WORD", "error-rate, swap, discriminative-power or judges"),
            ("--other-qrels FILE", "with judges: somebody else's judgments"),
            ("--sizes LIST", "topics per set, such as 5,10,...,50"),
            ("--fuzziness LIST", "differences below this percentage are ties"),
        ),
        "Input": (SCORES,),
        "Output": ENDING,
    },
    "wcw": {
        "What to score": (("--variance NAME=V", "within-system variance of a measure"), MEASURE),
        "Compare": (
            ("--sizes LIST", "widths for these numbers of topics  [10,20,50,100]"),
            ("--width LIST", "topics needed for these widths, or differences"),
            ("--tool WORD", "anova, ci or t"),
            ("--power", "power, from --sizes and --width"),
        ),
        "Input": (SCORES,),
        "Output": ENDING,
    },
}  # fmt: skip
EXAMPLES: dict[str, Lines] = {
    "main": (
        ("MAP as in trec_eval, with limits", "irci map-ci qrels.txt run.txt"),
        ("Is the second run really better?", "irci map-ci --compare qrels.txt baseline.run new.run"),
        ("Every topic, as with trec_eval -q", "irci ap-ci -q qrels.txt run.txt"),
    ),
    "map-ci": (
        ("How precise are these means?", "irci map-ci -m nDCG@10 qrels.txt runs/*"),
        ("Is the new run better?", "irci map-ci --compare --explain qrels.txt baseline.run new.run"),
    ),
    "ap-ci": (
        ("The output of trec_eval -q -c, with limits", "irci ap-ci -q qrels.txt run.txt"),
        ("Another measure, as csv", "irci ap-ci -q -m P_10 --format csv qrels.txt run.txt"),
    ),
    "partition-anova": (
        ("Which systems differ?", "irci partition-anova --policy drop --pairs qrels.txt runs/*"),
        ("The same with eleven splits", "irci partition-anova --policy drop --splits 11 qrels.txt runs/*"),
    ),
    "stdap-ci": (
        ("Standardise by all runs", "irci stdap-ci qrels.txt runs/*"),
        ("Standardise by saved factors", "irci stdap-ci --factors factors.tsv qrels.txt run.txt"),
    ),
    "swap-error": (
        ("How often is the order wrong?", "irci swap-error qrels.txt runs/*"),
        ("What difference can be trusted?", "irci swap-error --procedure swap qrels.txt runs/*"),
        ("Would another judge agree?", "irci swap-error --procedure judges --other-qrels llm.txt qrels.txt runs/*"),
    ),
    "wcw": (
        ("How many topics?", "irci wcw --variance AP=.0471 --width .05,.1"),
        ("With variances from your own runs", "irci wcw --sizes 25,50 qrels.txt runs/*"),
    ),
}
WHAT = (
    "Reads qrels and runs as trec_eval does, prints the scores that trec_eval prints, and tells you how far to trust them:"
    " confidence limits for each score, and tests between runs."
)
MORE = "\nirci COMMAND -h: the most common options; --help: all options; see also man irci\n"
# What most people need comes first.
ORDER = ("map-ci", "ap-ci", "stdap-ci", "swap-error", "wcw", "partition-anova", "help-measures")


def grouped(parameters: Sequence[click.Parameter]) -> Iterator[tuple[str, list[click.Parameter]]]:
    """The options of a command by their headings, in order."""
    names = {
        "help" if "--help" in each.opts else str(each.name): each for each in parameters
    }  # click's own name varies
    moved = OF_VALIDATION if "validate" in names else {}
    for heading, members in HEADINGS.items():
        chosen = [name for name in members if moved.get(name, heading) == heading]
        chosen += [name for name, other in moved.items() if other == heading]
        found = [names[name] for name in chosen if name in names]
        if found:
            yield heading, found


def write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """All options, under their headings."""
    for heading, parameters in grouped(command.get_params(ctx)):
        records = [record for each in parameters if (record := each.get_help_record(ctx)) is not None]
        if records:
            with formatter.section(heading):
                formatter.write_dl(records)


def short(command: click.Command, ctx: click.Context) -> str:
    """What -h prints: what the command is for, the options most people need, and examples."""
    formatter = ctx.make_formatter()
    formatter.write_usage(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)))
    formatter.write(f"\n  {command.short_help or ''}\n")
    if isinstance(command, click.Group):
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(WHAT)
        command.format_commands(ctx, formatter)
    lines = SHORT.get(str(command.name), {})
    wide = max((len(spec) for of_heading in lines.values() for spec, _ in of_heading), default=0)  # one column for all
    for heading, of_heading in lines.items():
        formatter.write(f"\n{heading}:\n")
        formatter.write("".join(f"  {spec:<{wide}}  {text}\n" for spec, text in of_heading))
    write_examples(str(command.name), formatter)
    formatter.write(MORE if isinstance(command, click.Group) else "")
    return formatter.getvalue()


def write_examples(name: str, formatter: click.HelpFormatter) -> None:
    """What each is for, and the line."""
    formatter.write("\nExamples:\n")
    formatter.write("".join(f"  # {what}\n  {line}\n" for what, line in EXAMPLES[name]))


def _show(ctx: click.Context, param: click.Parameter, asked: bool) -> Any:
    if asked and not ctx.resilient_parsing:
        click.echo(short(ctx.command, ctx), nl=False)
        ctx.exit()


short_option = click.option(
    "-h", "short_help", is_flag=True, is_eager=True, expose_value=False, callback=_show,
    help="Show the most common options, and examples.",
)  # fmt: skip
