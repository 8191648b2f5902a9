"""Asked: the value of every option of a command, and which were given; with what options and commands are.

An option is a row: its names, type, default, help, the commands that take it and what it needs. A command is a row: what it
is for, and its uses. Conditions are functions of what is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from irci.base import Margin, choices
from irci.options.types import FLAG, Type

if TYPE_CHECKING:
    from irci.data.plans import ComparisonPlan
    from irci.measures import Measure
    from irci.output.tables import Kind

RecordType = TypeVar("RecordType")
CommandName = Literal[
    "compare", "map-ci", "ap-ci", "stdap-ci", "swap-error", "wcw", "partition-anova", "judges"
]  # fmt: skip
UseName = Literal[
    "means", "judgments", "judge", "clusters", "collections", "seeds", "versions", "passes", "slices", "validate",
    "intervals", "published", "error-rate", "swap", "discriminative-power", "counts", "noncentrality", "correlation", "files",
    "variances", "parts", "labels", "runs",
]  # fmt: skip


OF_RESULT = ("tables", "sort", "explain")  # of the options of output, those that change what a result says
Condition = Callable[["Asked"], object]  # true or false of what is asked


Need = tuple[Condition, str]  # what an option has no effect without, and what is said then: {} is the option


class Option(NamedTuple):
    """An option of some commands."""

    name: str  # of its value in `Asked`
    spelled: str  # its names, the long one last
    type: Type
    takes: Sequence[tuple[str, frozenset[str]]]  # the commands that take it, each with its uses that do
    help: str = ""
    default: Any = None
    default_shown: str | None = None  # as help shows it, in words, "" for not at all; None: as it is
    many: bool = False  # it may be repeated
    short: str | Mapping[str, str] = ""  # what the short help says, of all commands or of each that shows it
    needs: Sequence[Need] = ()
    cites: Mapping[
        str | Condition | None, str
    ] = {}  # papers, where it has this value, a condition holds, or (None) ever
    python: bool = True  # the functions have it
    hidden: bool = False
    heading: str = ""

    @property
    def spellings(self) -> list[str]:
        """Its names, as they may be typed."""
        return self.spelled.split()

    @property
    def spelling(self) -> str:
        """Its long name."""
        return self.spelled.split()[-1]

    @property
    def key(self) -> str:
        """Its name in a plan."""
        return self.spelling.removeprefix("--")

    @property
    def is_flag(self) -> bool:
        """True if it takes no value."""
        return self.type is FLAG

    @property
    def is_of_result(self) -> bool:
        """True if it may change what a result says, and not only how, or where, it is written."""
        return self.heading != "Output" or self.name in OF_RESULT

    @property
    def unset(self) -> Any:
        """Its value where it is not given."""
        if self.many:
            return ()
        if self.is_flag:
            return bool(self.default)
        return self.default() if callable(self.default) else self.default

    @property
    def metavar_in_help(self) -> str:
        """The word that stands for a value in help."""
        return self.type.metavar or (f"[{'|'.join(self.type.words())}]" if self.is_choice else self.type.name.upper())

    @property
    def is_choice(self) -> bool:
        """True if it takes one of several words, or a list of such."""
        return self.type.name == "choice" or self.type.is_list

    def suits(self, command: Command, use: str) -> bool:
        """True if it means something for a use of a command."""
        return any(name == command.rows and use in uses for name, uses in self.takes)


class Use(NamedTuple):
    """One of several things that a command is asked for: the last of them, if none before it is."""

    name: UseName
    when: Condition | None = None  # true if it is asked for, unless one before it is; None: its option has a value
    words: str = ""  # what asks for it; "" of the usual one


class Command(NamedTuple):
    """A command: what it is for, what it needs, the papers that it rests on, and its uses."""

    name: str
    question: str
    help: str
    examples: tuple[tuple[str, str], ...]
    uses: tuple[Use, ...]
    cites: str
    files: str = "QRELS RUN..."  # in its usage
    without: Condition = lambda asked: False  # it needs no files
    rows: str = ""  # the command whose options, uses and tables it has, itself unless another is named
    typed: str = ""  # the name that it was typed by, where it has become that command
    paper: str = ""  # whose method it has
    always: Mapping[str, Any] = {}  # options that it always takes
    needs: Sequence[Need] = ()


class Asked:
    """The value of every option, None of those that the command does not have."""

    command: Command  # map-ci where compare was typed, which is it with a baseline
    options: Mapping[str, Option]  # of the command, by their names
    given: frozenset[str]  # the names of the options that were given, and "files"
    memory: Mapping[str, Any]  # what stands for files that are no paths, as a call from Python may have them
    line: str  # what was typed, but for how the result is written; "" where no receipts are wanted, and of a call
    compare: bool
    adjusted_limits: bool  # of differences, for all pairs at once, in columns for programs
    files: tuple[str, ...]
    runs: tuple[str, ...]
    # What to score, and files
    measures: Sequence[Measure]
    relevance_level: Any  # a whole number, or of means over topics any
    max_grade: int | None
    depth: int | None
    judged_only: bool
    ignore_identical_ids: bool
    ties: choices.Ties
    duplicates: choices.Duplicates
    missing: choices.Missing
    no_relevant: choices.NoRelevant
    topics: str | None
    per_topic: bool
    no_summary: bool
    standardise: Any
    reference: str | None
    parts: tuple[int, ...] | str
    splits: int
    policy: choices.Policy
    versions: Any
    variances: Sequence[tuple[str, float]]
    scores: bool
    names: choices.Names | None
    # Compare
    baseline: tuple[str, ...]
    all_pairs: bool
    population: Any  # a word of ap-ci, several of map-ci
    clusters: Any
    slices: Any
    collections: Any
    seeds: Any
    passes: Any
    mean: choices.MeanOf | None
    judge: Any  # a path; of wcw also a correlation and a number of topics
    other_qrels: tuple[str, ...]
    test: choices.TopicTest
    correction: Any  # a word of PairCorrection or Correction
    family: choices.OverMeasures
    survives: bool
    plan: ComparisonPlan | None
    save_plan: str | None
    looks: tuple[int, ...] | None
    ranks: bool
    best: bool
    margin: Margin | None
    power: Any  # a flag; of wcw a probability
    fail_if: tuple[choices.FailIf, ...] | None
    meta: choices.MetaMethod | None
    # Other commands
    model: choices.Model  # the default of what is asked for, from the study on
    tests: tuple[str, ...]
    groups: str | None
    alphas: Any  # several fractions, or None of swap-error
    procedure: choices.Procedure
    fuzziness: tuple[float, ...]
    sizes: Any  # several, or None
    trials: int | None
    max_rate: float
    alpha: float
    widths: tuple[float, ...] | None
    differences: tuple[float, ...] | None
    systems: int
    tools: tuple[choices.Tool, ...]
    summaries: Sequence[tuple[str, float, float, int, str]]
    complete: bool
    published: bool
    validate: Any  # a number of splits or of samples, md5 or a path
    # Intervals
    interval: Any  # a word of ApInterval or TopicInterval
    new_topics: int | None  # of --interval prediction:N
    range: tuple[float, float] | None
    confidence: Any  # a fraction; of partition-anova several
    resamples: int
    seed: int
    small_r: choices.SmallR
    # Output
    output_format: choices.Format
    layout: choices.Layout | None
    limits: choices.Limits | None
    tables: Sequence[Kind]
    digits: int
    sort: choices.Sort | None
    output: str
    plot: str | None
    plot_width: float | None
    explain: bool
    cite: bool
    save_scores: str | None
    save_factors: str | None
    quiet: bool
    threads: int

    def __init__(self, values: Mapping[str, Any]) -> None:
        """`values`: by the names of the fields."""
        self.__dict__.update({"new_topics": None, "compare": False, "adjusted_limits": False, **values})

    def replaced(self, **values: Any) -> Asked:
        """The same with other values."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("use", "over")}
        return Asked({**kept, **values})

    def has(self, name: str) -> bool:
        """True if an option was given."""
        return name in self.given

    @cached_property
    def use(self) -> Use:
        """The one of the several uses of the command that is asked for."""
        *uses, usual = self.command.uses
        for use in uses:
            if use.when(self) if use.when is not None else getattr(self, use.name) is not None:
                return use
        return usual

    @cached_property
    def over_in_rows(self) -> Sequence[str]:
        """The populations that map-ci's rows are about."""
        if self.command.name != "map-ci" or self.use.name not in choices.SOURCES:
            return ()
        source, asked = choices.SOURCES[self.use.name], self.population or ()
        words = asked if self.use.name == "means" and asked else source.words[: source.usual]
        return (*words, *asked)

    @cached_property
    def over(self) -> Sequence[str]:
        """These, and those by which --survives tries differences."""
        reads_documents = self.use.name in ("means", "clusters", "passes") and not (self.scores or self.standardise)
        is_tried = self.command.name == "map-ci" and self.survives and reads_documents
        return (*self.over_in_rows, *(choices.SOURCES["means"].words if is_tried else ()))

    @property
    def has_pairs(self) -> bool:
        """True if runs are compared."""
        return bool(self.compare or self.baseline or self.all_pairs)

    @property
    def has_draws(self) -> bool:
        """True if documents, topics or signs are drawn at random (of map-ci)."""
        return bool(
            self.test in ("randomization", "wilcoxon")
            or self.correction == "maxt"
            or {"both", "documents"} & {*self.over}
            or self.meta
            or self.best
            or self.ranks
            or self.use.name == "validate"
        )

    @property
    def is_with_first(self) -> bool:
        """True if runs are compared with the first one."""
        return bool(self.compare and not self.baseline and not self.all_pairs)

    @property
    def is_wide(self) -> bool:
        """True if a paper's table is asked for, by name or by how it shows limits."""
        by_limits = self.layout is None and self.has("limits") and self.output_format in choices.OF_PAPERS
        return self.layout == "wide" or by_limits

    @property
    def has_receipts(self) -> bool:
        """True if the result is to say of which files it is, and how it was asked for."""
        return self.output_format in choices.HAVE_RECEIPTS

    def record(self, kind: type[RecordType], **values: Any) -> RecordType:
        """A record whose fields are options of the same names, but for those that are given here."""
        own = {*self.options, *self.command.always, *self.given, "files"}
        return kind(**{name: getattr(self, name) for name in kind.__annotations__ if name in own} | values)

    def spelling(self, name: str) -> str:
        """The long name of an option."""
        return self.options[name].spelling


OF_DOCUMENTS = {"documents", "both", "judgments"}


def are_means_over_topics(asked: Asked) -> bool:
    """True where nothing but scores of topics is asked of rankings: no limits over documents, no bounds, no parts."""
    is_of_scores = asked.command.name in ("map-ci", "stdap-ci", "swap-error", "wcw") and asked.validate is None
    return is_of_scores and not (OF_DOCUMENTS & {*asked.over} or asked.meta or asked.survives)
