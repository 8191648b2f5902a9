"""Tables as people are shown them: the columns that vary, a line for what is the same in all rows, and measures in words.

Formats for machines have all columns. A text leaves out those that only further computations need (`FOR_MACHINES`), and those
that say in each row how it was made (`MANNER`), unless they vary. In words measures are as papers have them: AP for map,
nDCG@10 for ndcg_cut_10; a name that is not known stays as it is.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from irci.base import BORDA, Record, plural
from irci.base.choices import JUDGMENTS, TOPICS
from irci.base.types import gathered
from irci.output.kinds import KINDS
from irci.output.tables import ALL, NO_WORD, Bounded, Row, Rows, Signature, Table, part_of

FOR_MACHINES = frozenset((
    "effect_size", "effect_lower", "effect_upper", "df", "sd_documents", "sd_topics",
    "lower_adjusted", "upper_adjusted", "reason", "lower_raw", "upper_raw", "seeds_baseline", "sd_seeds_component",
    "passes",
))  # fmt: skip
METHODS = ("interval", "test")  # of estimates part of the line, whether they vary or not: limits and p are in the row
MANNER = (
    "population", *METHODS, "topics", "clusters", "versions", "estimator", "human", "others", "ranked_by", "fuzziness",
    "sets", "draws", "units", "alpha", "correction", "tool", "kind", "judge",
)  # fmt: skip
COUNTED = ("topics", "clusters", "versions")  # of estimates these are said as numbers: 50 topics
POPULATIONS = {"both": "topics and documents", "same-topics": "these topics"}
OF_JUDGMENTS = "bounds over all grades of unjudged documents"
INTERVALS = {"bounded": "bounded by the scale"}
TESTS = {
    "t": "paired t test", "randomization": "randomization test", "wilcoxon": "Wilcoxon's test", "sign": "sign test",
    "normal": "normal test", "signs": "signs of equal differences", "t, signs": "paired t test (no lower than signs allow)",
    "midp": "McNemar's mid-p", "bounded": "from bounded limits",
}  # fmt: skip
OF_EACH_PAIR = "p_adjusted"
# Each p that is adjusted for other pairs, left out where it is the same as that of the pair alone in all rows.
ADJUSTED = {
    OF_EACH_PAIR: "p", "p_equivalence_adjusted": "p_equivalence", "p_not_worse_adjusted": "p_not_worse",
}  # fmt: skip
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini and Hochberg", "maxt": "the largest statistic"}


class Stretch(Record):
    """Tables under one header: the columns of the widest, of which the others have the first ones; and the line, or ""."""

    header: Sequence[str]
    tables: Sequence[Table]
    line: str


def stretches(tables: Sequence[Table], signature: Signature, sources: Sequence[str] = ()) -> Iterator[Stretch]:
    """The tables as people are shown them, in order; `sources`: what varies, where rows name no population."""
    families = gathered((_family(table), table) for table in tables)
    manners = {family: Manner(of_family, sources) for family, of_family in families.items()}
    lines = {family: manner.line(signature) for family, manner in manners.items()}
    header: Sequence[str] = ()
    waiting: list[Table] = []
    for table in tables:
        printed = manners[_family(table)].without_constants(table)
        columns = printed.columns
        if waiting and columns[: len(header)] != header[: len(columns)]:
            yield Stretch(header, waiting, lines.pop(_family(waiting[0]), ""))
            header, waiting = (), []
        header = max(header, columns, key=len)
        waiting.append(printed)
    if waiting:
        yield Stretch(header, waiting, lines.pop(_family(waiting[0]), ""))


def _family(table: Table) -> str:
    """Tables made in one manner: all estimates, or those of one kind."""
    return "estimates" if KINDS[table.kind].is_estimate else table.kind


class Manner:
    """How the rows of some tables were made: the values of columns of `MANNER`, of each population."""

    def __init__(self, tables: Iterable[Table], sources: Sequence[str]) -> None:
        self.words: dict[str, dict[str, dict[str, None]]] = {}  # by column and population, in order
        self.adjusted: set[str] = set()  # the columns of ADJUSTED that say more than p of a pair alone
        self.limits: str = ""
        self.is_estimate = self.has_limits = self.has_corrected = False
        # Pairs by measure, population and collection; of slices all differences in one.
        self.families: Counter[tuple[str, str, str]] = Counter()
        self.in_slices: Counter[tuple[str, str, str]] = Counter()
        self.has_collections = False
        for table in tables:
            self.is_estimate |= KINDS[table.kind].is_estimate
            self.limits = self.limits or KINDS[table.kind].limits
            columns = [column for column in MANNER if column in table.columns and not self.is_key(column)]
            unadjusted = {of: alone for of, alone in ADJUSTED.items() if of in table.columns}
            for row in table.rows:
                self.has_limits |= isinstance(lower := row.get("lower"), float) and not math.isnan(lower)
                self.has_corrected |= row.get("corrected", False) is not False
                population = str(row.get("population", next(iter(sources), "")))
                for column in columns:
                    self.words.setdefault(column, {}).setdefault(population, {})[str(row[column])] = None
                for of in [of for of, alone in unadjusted.items() if str(row[of]) != str(row.get(alone))]:
                    self.adjusted.add(of)
                    del unadjusted[of]  # no other row need be looked at
                if table.kind == "difference" and OF_EACH_PAIR in row:
                    self._count(table.measure, population, row)
        self.populations = list(self.words.get("population", dict.fromkeys(sources[:1])))

    def _count(self, measure: str, population: str, row: Row) -> None:
        """Count a pair in its family: each collection has its own, and all slices have one."""
        self.has_collections |= "collection" in row
        of_slice = str(row.get("slice", ALL)) != ALL
        if not math.isnan(float(row[OF_EACH_PAIR] or 0)):
            key = measure, f"{population} {row.get('estimator', '')}", "" if of_slice else part_of(row)
            (self.in_slices if of_slice else self.families)[key] += 1

    def is_key(self, column: str) -> bool:
        """True of numbers that rows are about, in tables that are no estimates: topics to be judged, not those there are."""
        return column in COUNTED and not self.is_estimate

    def constant(self, column: str) -> str | None:
        """The one value of a column in all rows; None of several, or without the column."""
        values = {word for words in self.words.get(column, {}).values() for word in words}
        return next(iter(values)) if len(values) == 1 else None

    def without_constants(self, table: Table) -> Table:
        """The table with the columns that people are shown."""
        said = METHODS if self.is_estimate else ()
        out = {column for column in MANNER if column in said or self.constant(column) is not None}
        out |= FOR_MACHINES if self.is_estimate else set()
        out |= ADJUSTED.keys() - self.adjusted
        out |= set() if self.has_corrected else {"corrected"}  # empty in all rows

        def row(index: int) -> Row:
            whole = table.rows[index]
            part = {column: cell for column, cell in whole.items() if column not in out}
            return Bounded(part) if isinstance(whole, Bounded) else part

        return (
            Table(table.kind, table.measure, Rows(len(table.rows), row)) if out.intersection(table.columns) else table
        )

    def line(self, signature: Signature) -> str:
        """The manner of all rows in words: "95% confidence intervals over topics (t), 50 topics; p: paired t test"."""
        if not self.is_estimate:
            return "; ".join(f"{column}: {word}" for column in MANNER if (word := self.constant(column)) is not None)
        parts = [", ".join(filter(None, (self._limits(signature), *self._counted(signature))))]
        if "test" in self.words and (tests := self._of_each_population("test", TESTS)):
            parts.append(f"p: {tests}")
        parts.append(self._family(signature))
        parts += [
            f"{column}: {word}"
            for column in MANNER
            if column not in ("population", *METHODS, *COUNTED) and (word := self.constant(column)) is not None
        ]
        return "; ".join(filter(None, parts))

    def _limits(self, signature: Signature) -> str:
        confidence = signature.get("confidence")
        if not self.limits or not self.has_limits:
            return ""
        intervals = self.words.get("interval", {})
        over = [
            f"over {POPULATIONS.get(population, population)}" + _in_brackets(intervals.get(population, ()), INTERVALS)
            for population in self.populations
            if population != JUDGMENTS
        ]
        limits = []
        if over and isinstance(confidence, float):
            limits = [f"{confidence * 100:.10g}% confidence intervals {', '.join(over)}"]
        return ", ".join(limits + [OF_JUDGMENTS] * (JUDGMENTS in self.populations))

    def _family(self, signature: Signature) -> str:
        """The family that p is adjusted over: "p_adjusted: 19 pairs with bm25, Holm"."""
        how = CORRECTIONS.get(str(signature.get("correction")))
        if OF_EACH_PAIR not in self.adjusted or not self.families or how is None:
            return ""
        number = self._number_in(self.families, signature, "pair")
        baseline = signature.get("baseline")
        with_one = f" with {baseline}" if baseline not in (None, "all pairs") else ""
        line = f"p_adjusted: {number}{with_one}, {how}"
        if self.has_collections:
            line += ", separately in each collection"
        if self.in_slices:
            how_there = CORRECTIONS[str(signature["correction_in_slices"])]
            line += f"; in slices {self._number_in(self.in_slices, signature, 'difference')}, {how_there}"
        return line

    @staticmethod
    def _number_in(families: Counter[tuple[str, str, str]], signature: Signature, noun: str) -> str:
        """How many pairs p is adjusted for, the most if families differ."""
        measures = len({measure for measure, _, _ in families})
        is_joint = signature.get("family") == "joint" and measures > 1
        sizes: Counter[tuple[str, ...]] = Counter()
        for (measure, population, collection), pairs in families.items():
            sizes["" if is_joint else measure, population, collection] += pairs
        number = plural(max(sizes.values()), "difference" if is_joint else noun)
        number = f"{number} in {plural(measures, 'measure')}" if is_joint else number
        return f"up to {number}" if len({*sizes.values()}) > 1 else number

    def _counted(self, signature: Signature) -> Iterator[str]:
        for column in COUNTED:
            number = self.constant(column)
            if column == "topics" and column not in self.words and "num_topics" in signature:
                number = str(signature["num_topics"])
            if number is not None and number.isdigit():
                yield plural(int(number), column.removesuffix("s"))

    def _of_each_population(self, column: str, names: dict[str, str]) -> str:
        either = ((population, _either(of, names)) for population, of in self.words[column].items())
        # Runs are paired by topics; what t is over other units is not that of pairs.
        words = {
            population: word if population == TOPICS else word.replace("paired t test", "t test")
            for population, word in either
            if word
        }
        if len(set(words.values())) < 2:
            return next(iter(words.values()), "")
        return ", ".join(f"{word} over {POPULATIONS.get(population, population)}" for population, word in words.items())


def _in_brackets(words: Collection[str], names: dict[str, str]) -> str:
    either = _either(words, names)
    return f" ({either})" if either else ""


def _either(words: Collection[str], names: dict[str, str]) -> str:
    words = [word for word in words if word != "t" or "t, signs" not in words]  # which says both
    return " or ".join(names.get(word, word) for word in words if word not in (NO_WORD, ""))


WORDS = {
    "map": "AP", "lmap": "AP (mean of logits)", "Rprec": "R-precision", "bpref": "bpref", "recip_rank": "RR", "ndcg": "nDCG",
    "ndcg_exp": "nDCG (gains 2^grade − 1)", "11pt_avg": "11-point average precision", "rbp": "RBP", "set_P": "set precision",
    "set_recall": "set recall", "set_F": "set F", "set_map": "set AP", "Pplus": "P+",
}  # fmt: skip
CUT = {
    "P": "P", "recall": "recall", "map_cut": "AP", "ndcg_cut": "nDCG", "ndcg_exp_cut": "nDCG (gains 2^grade − 1)",
    "success": "success", "relative_P": "relative P",
}  # fmt: skip
# Names that say themselves what they are a mean of, or that have none; and measures as ir_measures spells them.
NO_MEAN = re.compile("gm_|num_|GMAP|L-MAP|MAP|MRR|Num")
TYPED = re.compile(r"(G?MAP|L-MAP|AP|n?ERR|nDCG|RBP|M?RR|R-prec|Bpref|IPrec|Judged|Set[A-Z]|(P|R|Q)[(@])")
STANDARDISED = re.compile(r"(.+)_std_(cdf|ab)")


def in_words(measure: str) -> str:
    """The name that papers give a measure. `measure`: its name in a table, as trec_eval spells it, or a standardised one's."""
    if measure in WORDS:
        return WORDS[measure]
    family, _, cut = measure.rpartition("_")
    if family in CUT and cut.isdigit():
        return f"{CUT[family]}@{cut}"
    if match := STANDARDISED.fullmatch(measure):
        return f"standardised {in_words(match[1])} ({match[2]})"
    if measure.endswith(BORDA):
        return f"Borda points by {in_words(measure.removesuffix(BORDA))}"
    if measure.startswith("s") and (in_words(measure[1:]) != measure[1:] or TYPED.match(measure[1:])):
        return f"standardised {in_words(measure[1:])} (z)"
    if measure.startswith("gm_"):
        return f"geometric mean {in_words(measure[3:])}"
    return measure


def as_typed(measure: str) -> str:
    """The name of a measure as it was asked for; standardised scores have none that anybody types."""
    words = in_words(measure)
    return words if words.startswith(("standardised", "Borda")) else measure


def mean_of(measure: str) -> str:
    """The name of a measure's mean over topics, with the measure as it was asked for."""
    words = as_typed(measure)
    return words if NO_MEAN.match(measure) else f"mean {words}"
