"""Tables on systems on parts of a collection, and on several splits."""

from irci.output.kinds.kind import ESTIMATE, Kind, KindOfTable

OF_MODEL = "how the model's p is computed (difference; with --published marginal), or a test of the unsplit scores"

KINDS: dict[Kind, KindOfTable] = {
    "effect": KindOfTable(
        "How far each system lies above or below the mean of all, on these topics.",
        ESTIMATE + " model letters", title="effects", limits="confidence", sorted_with="effect",
        picture="intervals:effect_panels",
        meanings={"value": "the system's mean score minus the mean of all systems"},
    ),
    "anova": KindOfTable(
        "How much of the scores' variance is due to topics, systems, parts (or versions) and their interactions.",
        "source df ss ms F p omega2",
        meanings={"p": "p-value of F"},
    ),
    "length": KindOfTable(
        "How long the intervals of the system effects are under each fitted model.",
        "model mean min max split",
        meanings={"mean": "mean length of the systems' intervals", "min": "the shortest", "max": "the longest"},
    ),
    "check": KindOfTable(
        "How well each part (or version) stands for the whole.",
        "part version tau shift relevant_min imbalance split",
    ),
    "significant": KindOfTable(
        "How many pairs of systems differ significantly, by the model and by tests of the unsplit scores.",
        "test alpha pairs percent correction split",
        meanings={"test": OF_MODEL, "pairs": "number of pairs that differ significantly"},
    ),
    "agreement": KindOfTable(
        "How many pairs of systems several criteria agree on: splits, tests, or fits of a team and of all systems.",
        "between decision pairs percent",
        meanings={
            "decision": "of splits, how many tell a pair apart : how many do not; of fits, whether each does; opposite: both"
            " criteria do, in opposite directions",
            "pairs": "number of such pairs", "percent": "these as a percentage of all pairs, or of those within teams",
        },
    ),
    "pair": KindOfTable(
        "Which of two systems is significantly better, by each test.",
        "runs difference p p_adjusted decision test", sorted_with="pair",
        meanings={"p": "p-value of the difference, by this test", "test": OF_MODEL},
    ),
    "vote": KindOfTable(
        "In how many splits each pair of systems differs significantly.",
        "run baseline value share test", picture="pairs:vote_panels",
        meanings={
            "share": "share of splits in which the run is significantly better, less that in which it is worse",
            "test": "the test behind these decisions",
        },
    ),
}  # fmt: skip
