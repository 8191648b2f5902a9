"""Compare: what is told of pairs of runs, and when: claims, ranks, the best run, equivalence, power."""

from irci.base.choices import FailIf, MetaMethod
from irci.options.figures import MarginSize, Numbers
from irci.options.option import Option
from irci.options.rows.scoring import MOST_TOPICS
from irci.options.tables import PAIRS
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
        "Ask of each significant difference whether other sources of variation confirm it: documents, unjudged"
        " documents and, where given, --other-qrels, --clusters, --collections, --seeds or --versions.",
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
        "Take options from this TOML file, which --save-plan writes. What contradicts it is refused; the signature"
        " has its SHA-256, and what deviates.",
        metavar="FILE",
    ),
    Option(
        "save_plan", "--save-plan", OutputFile(), "map-ci(means)",
        "Write options, names of runs, and --topics in a random order (--seed) to this file for --plan; print no"
        " results.",
        metavar="FILE", needs={"!plan": "{} writes a plan, --plan takes one: leave one out."},
    ),
    Option(
        "looks", "--looks", LOOKS, "map-ci(means)",
        "Topics are judged in random order and tested at each of these numbers, of which the last is all that are"
        " planned: 10,25,50. The level is shared among the looks.",
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
        "ranks", "--ranks", Flag(), "map-ci(carried)",
        "Print intervals of each run's rank, and letters: runs that share one are not significantly different.",
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
        "Name the run with the highest mean, with limits that allow for its having been picked, and whether another"
        " may be better.",
        needs={
            "over=topics": "{} needs --population topics.",
            "!interval|interval=auto|interval=t|interval=bounded|interval=delta":
            "{} has limits by t, or bounded ones: leave out --interval {interval}.",
        },
        cites={"": "cormack2006 andrews2024 benjamini2019 hung2019"},
    ),
    Option(
        "margin", "--margin", MarginSize(), "map-ci(carried)",
        "The difference that does not matter: .01, or 2% of the baseline. Adds p_equivalence and p_not_worse, and"
        " verdicts.",
        metavar="MARGIN", short="runs the same within .02, or 2%? one not worse?",
        needs=NEEDS_PAIRS, cites={"": "schuirmann1987 hall1992 fieller1954"},
    ),
    Option(
        "power", "--power", Flag(), "map-ci(carried)",
        "Add the difference that these topics detect, and the topics needed.",
        needs=NEEDS_PAIRS, cites={"": "perugini2014"},
    ),
    Option(
        "fail_if", "--fail-if", Several(FailIf), "map-ci(carried)",
        "Status 5 if a run is significantly worse than its baseline (worse), is not shown to be equivalent"
        " (not-equivalent), or another source reverses a difference of --survives (reversed). inferior: 5 if it is"
        " worse, 6 unless it is shown not to be worse by the margin. inconclusive: 6 if nothing is shown. A list"
        " with commas; missing runs give 6.",
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
        "Combine topics' differences of logits (without pairs, logits) by a fixed effect, random effects"
        " (Hartung-Knapp) or Stouffer's test.",
        needs={"!scores & !standardise": "{} combines intervals over documents, which scores of topics do not have."},
    ),
)  # fmt: skip
