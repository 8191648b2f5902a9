"""Compare: what is told of pairs of runs, and when: claims, ranks, the best run, equivalence, power."""

from irci.base.choices import FailIf, MetaMethod
from irci.options.figures import MarginSize, Numbers
from irci.options.option import Option
from irci.options.rows.comparing import PAIRS
from irci.options.rows.scoring import MOST_TOPICS
from irci.options.types import Choice, Flag, OutputFile, PlanFile, Several

LOOKS = Numbers(1, MOST_TOPICS, whole=True)
NEEDS_PAIRS = {
    f"{PAIRS}|clusters|collections|seeds|versions|scores": "{} needs pairs over topics: add --baseline or --all-pairs.",
    PAIRS: "{} needs pairs: add --baseline or --all-pairs.",
    "over=topics": "{} needs pairs over topics: leave out --population.",
}
OTHER_SOURCES = "clusters|collections|population=collections|seeds|versions"
ABOUT_MEANS = "!test=wilcoxon & !test=sign"
OF_ANY_FALSE_FINDING = "{} holds the chance of any false finding: use --correction holm or maxt."

ROWS = (
    Option(
        "survives", "--survives", Flag(), "map-ci(carried)",
        "Say of each pair that differs significantly over topics (by --correction maxt, which this implies) which other"
        " sources of variation confirm that: documents, topics and documents at once, any grades of unjudged documents and,"
        " where they are given, other judges (--other-qrels), --clusters, --collections, --seeds or --versions.",
        needs={
            PAIRS: NEEDS_PAIRS[PAIRS],
            f"{OTHER_SOURCES}|!scores & {OTHER_SOURCES}|!standardise": "{} asks about documents, which scores do not have: add"
            " --clusters, --collections, --seeds or --versions.",
            "!correction|correction=maxt": "{} goes by --correction maxt: leave out --correction {correction}.",
            ABOUT_MEANS: "{} is about means, --test {test} is not.",
            "!interval=delta": "{} compares runs paired.",
            "!clusters|!mean=clusters": "{} is about means of topics: leave out --mean clusters.",
            "!looks": "{} is about all topics: leave out --looks.",
        },
        cites={"": "berger1982 romano2005"},
    ),
    Option(
        "plan", "--plan", PlanFile(), "map-ci(means)",
        "Take measures, baseline, test and all else that was planned from this TOML file, by hand or by --save-plan: options"
        " by their long names, and lists `runs` and `topics`. What contradicts it is refused. The settings of the result have"
        " its SHA-256, and the number of runs and topics that only the plan has, or only the files; with --looks the first"
        " topics of the plan are due.",
        metavar="FILE",
    ),
    Option(
        "save_plan", "--save-plan", OutputFile(), "map-ci(means)",
        "Write what is asked, the names of the runs, and --topics in a random order (--seed), to this file for --plan, and"
        " print no results.",
        metavar="FILE", needs={"!plan": "{} writes a plan, --plan takes one: leave one out."},
    ),
    Option(
        "looks", "--looks", LOOKS, "map-ci(means)",
        "Topics are judged in random order and tested at each of these numbers of topics, of which the table has one, the last"
        " being all that are planned: --looks 10,25,50. A difference is found where p_adjusted is at most what this look may"
        " spend of the level, so that the chance of a false finding, and the confidence of limits, hold for all looks.",
        metavar="LIST",
        needs={
            PAIRS: NEEDS_PAIRS[PAIRS],
            "!over=documents & !over=both & !over=judgments": "{} is about topics: add --population topics.",
            "test=t": "{} goes by the t test: leave out --test {test}.",
            "!interval|interval=auto|interval=t|interval=bounded":
            "{} has limits by t, or bounded ones: leave out --interval {interval}.",
            "!correction=bh": OF_ANY_FALSE_FINDING,
            "!margin & !power": "{} tells of differences: leave out --margin and --power.",
            "!ranks & !best": "{} tells of pairs: leave out --ranks and --best.",
            "!family=joint": "{} takes each measure by itself.",
        },
        cites={"": "lan1983"},
    ),
    Option(
        "adjusted_limits", "--adjusted-limits", Flag(), "map-ci(carried)",
        "Add limits of differences that account for the number of pairs as p_adjusted does: columns lower_adjusted and"
        " upper_adjusted. With holm or maxt they hold for all pairs at once; with bh they are for the significant pairs.",
        needs={
            PAIRS: NEEDS_PAIRS[PAIRS],
            "!correction=none": "{}: --correction none adjusts nothing.",
            ABOUT_MEANS: "{}: limits are about means, --test {test} is not.",
            "!interval=prediction": "{}: --interval prediction has none, as p is not about means over new topics.",
        },
        cites={"": "hall1992", "correction=bh": "benjamini2005"},
    ),
    Option(
        "ranks", "--ranks", Flag(), "map-ci(carried)",
        "Print limits for each run's rank, and letters: runs that share a letter are not significantly different.",
        short="which places runs may have, and which differ",
        needs={
            "!correction=bh & !correction=none": "{} hold for all pairs at once: use --correction maxt or holm.",
            "!interval=delta": "{} compare runs paired: leave out --interval delta.",
            ABOUT_MEANS: "--ranks and --correction maxt are about means, --test {test} is not.",
        },
        cites={"": "smucker2007 romano2005"},
    ),
    Option(
        "best", "--best", Flag(), "map-ci(carried)",
        "Name the run with the highest mean, with limits over topics that allow for its having been picked for that, its mean"
        " corrected likewise, and whether another run may be better. So are the limits of its difference from a baseline that"
        " was named beforehand.",
        needs={
            "over=topics": "{} needs --population topics.",
            "!interval|interval=auto|interval=t|interval=bounded|interval=delta":
            "{} has limits by t, or bounded ones: leave out --interval {interval}.",
        },
        cites={"": "cormack2006 andrews2024 benjamini2019 hung2019"},
    ),
    Option(
        "margin", "--margin", MarginSize(), "map-ci(carried)",
        "The difference that matters to nobody: .01, or 2% of the baseline's mean. Columns tell which pairs differ by less"
        " (p_equivalence, two one-sided tests), and which runs are not worse by so much (p_not_worse, one of them).",
        metavar="MARGIN", short="runs the same within .02, or 2%? one not worse?",
        needs=NEEDS_PAIRS, cites={"": "schuirmann1987 hall1992 fieller1954"},
    ),
    Option(
        "power", "--power", Flag(), "map-ci(carried)",
        "Add the difference that these topics could detect, and the number of topics needed to detect the one observed: as"
        " it is, and allowing for how well it is known.",
        needs=NEEDS_PAIRS, cites={"": "perugini2014"},
    ),
    Option(
        "fail_if", "--fail-if", Several(FailIf), "map-ci(carried)",
        "End with status 5 if a run is significantly worse than its baseline (worse); if it is not shown to be equivalent to"
        " it (not-equivalent; 6 if too few topics differ to show that); or if another source of variation reverses a claim of"
        " --survives (reversed). inferior passes a run that is shown to be not worse by the margin, and ends with 5 if it is"
        " significantly worse, else with 6; inconclusive ends with 6 where nothing is shown. So does each where a run is"
        " missing. A list with commas: worse,inconclusive; 5 goes before 6. Of several collections, on average over them. How"
        " much is judged (Judged@10) does not count beside other measures.",
        metavar="LIST", short="worse: status 5; inconclusive: 6; ...",
        needs={
            **NEEDS_PAIRS,
            "!fail_if=not-equivalent|margin": "--fail-if not-equivalent needs --margin MARGIN.",
            "!fail_if=inferior|margin": "--fail-if inferior needs --margin MARGIN.",
            "!fail_if=reversed|survives": "--fail-if reversed is about claims: add --survives.",
        },
    ),
    Option(
        "meta", "--meta", Choice(MetaMethod), "map-ci(carried)",
        "Combine the topics' differences of logits by a fixed effect (documents vary), by random effects (topics vary;"
        " Hartung-Knapp limits), or by Stouffer's test. Without pairs, combine the logits themselves.",
        needs={"!scores & !standardise": "{} combines intervals over documents, which scores of topics do not have."},
    ),
)  # fmt: skip
