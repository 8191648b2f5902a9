"""A measure: a family of the table with its parameter and, if it has one, a relevance level of its own."""

from typing import Any

from irci.base.choices import Sight
from irci.base.records import Record
from irci.base.types import Ends, Floats
from irci.measures.scorers import JudgedLists
from irci.measures.table import FAMILIES, Row
from irci.stats.scales import LOG, LOGIT, PLAIN, Scale, mean_over_topics


class Measure(Record):
    """A measure: its family, its parameter, and a relevance level of its own (None: what -l says).

    `given`: how a beta or a persistence was spelled; `typed`: its name, where it was not spelled as trec_eval does, and
    `typed_base`: that of what it averages. Spellings make no difference: measures are equal whatever they are called.
    """

    family: Row
    parameter: float | None = None
    level: int | None = None
    given: str = ""
    typed: str = ""
    typed_base: str = ""

    def _compared(self) -> tuple[Any, ...]:
        return self.family, self.parameter, self.level

    @property
    def name(self) -> str:
        """As it was typed, or else as trec_eval prints it if it does, or else NAME(ARGUMENTS)@CUT; all are read back."""
        return self.typed or self.canonical

    @property
    def canonical(self) -> str:
        """Its one name, whoever spelled it: trec_eval's, or else NAME(ARGUMENTS)@CUT."""
        return self._in_trec_eval() or self._as_a_call()

    def _in_trec_eval(self) -> str:
        # trec_eval's name, "" if there is none: it has two decimals for recalls.
        whole = self.parameter is None
        if self.level is not None or self.family.in_trec_eval not in (("yes", "uncut") if whole else ("yes",)):
            return ""
        if whole:
            return self.family.name
        match self.family.parameter:
            case "recall" | "multiple":
                text = f"{self.parameter:.2f}"
                return f"{self.family.name}_{text}" if float(text) == self.parameter else ""
            case "persistence":
                return f"{self.family.name}_p={self._parameter_text}"
            case "rank" | "beta" | "":
                return f"{self.family.name}_{self._parameter_text}"

    def _as_a_call(self) -> str:
        key = {"beta": "beta=", "persistence": "p="}.get(self.family.parameter, "@")
        given = "" if self.parameter is None else key + self._parameter_text
        level = "" if self.level is None else f"rel={self.level}"
        cut = given if key == "@" else ""
        arguments = ",".join(filter(None, (self.family.option, given.removeprefix(cut), level)))
        return (self.family.spelled or self.family.name) + (f"({arguments})" if arguments else "") + cut

    @property
    def _parameter_text(self) -> str:
        return self.given or repr(self.parameter).removesuffix(".0")

    @property
    def cut(self) -> int:
        return int(self.parameter or 0) if self.family.parameter == "rank" else 0

    @property
    def is_count(self) -> bool:
        """True if its values are whole numbers, printed as such."""
        return self.family.summary in ("sum", "topics")

    @property
    def is_bounded(self) -> bool:
        """True if its scores are known to lie in [0, 1]: of measures that are not of the table nothing is known."""
        return self.is_known and self.family.bounded and not self.is_count

    @property
    def is_known(self) -> bool:
        """True if it is of the table."""
        return self.family.name in FAMILIES

    @property
    def ends(self) -> Ends | None:
        """The least and the greatest score, where these are known and means are of scores as they are; else None."""
        return (0.0, 1.0) if self.is_bounded and self.scale() == PLAIN else None

    @property
    def is_by_intent(self) -> bool:
        """True if qrels have its topics' intents as their second column."""
        return self.family.by_intent

    @property
    def is_of_the_top(self) -> bool:
        """True if its scores hang on one or a few documents at the top: those of RR, success or P+, or any at cutoff 1."""
        return self.family.of_the_top or self.cut == 1

    @property
    def more_is_better(self) -> bool:
        """True if a higher score is a better one."""
        return self.family.more_is_better

    def may_score_without(self, level: int) -> bool:
        """True if a topic without documents of this grade or a higher one may score other than 0; `level`: what -l says."""
        if self.family.scores_irrelevant:
            return True
        if self.family.level == "none" and not self.family.looks_at.level:  # of grades, whatever -l says
            return level > 1
        return self.level is not None and self.level < level

    def least_grade(self, level: int) -> int:
        """The grade below which no document counts as relevant; `level`: what -l says. 0 of measures that see none."""
        if self.family.scores_irrelevant:
            return 0
        if self.level is not None:
            return self.level
        return 1 if self.family.level == "none" and not self.family.looks_at.level else level

    @property
    def scores_topics(self) -> bool:
        """True if it is a score of single topics that is averaged as it is: no count, no mean of logarithms or logits."""
        return not self.is_count and self.scale() == PLAIN

    @property
    def is_of_topics(self) -> bool:
        """True if single topics have a line, as in trec_eval: not the number of topics, nor means of logarithms or logits."""
        return self.family.summary != "topics" and self.scale() == PLAIN

    @property
    def sees(self) -> tuple[Sight, int | None]:
        """Sight and own level: measures that see the same judgments share what is found of them."""
        return self.sight, self.level

    @property
    def sight(self) -> Sight:
        """The judgments that it sees, in a word."""
        looks_at = self.family.looks_at
        if looks_at.nonrelevant:
            return "judgments"
        if looks_at.grades:
            return "gains" if self.family.level == "none" and not looks_at.level else "grades"
        return "relevance"

    def scores(self, lists: JudgedLists) -> Floats:
        """float64[T], trec_eval's to the last bit; a topic without relevant documents scores 0. `lists`: at its level."""
        return self.family.score(lists) if self.parameter is None else self.family.score(lists, self.parameter)

    def summary(self, scores: Floats) -> float:
        if self.is_count:
            return float(scores.sum())
        scale = self.scale()
        return float(scale.back(mean_over_topics(scale.forward(scores))))

    def scale(self) -> Scale:
        """On which scale it is averaged over topics."""
        match self.family.summary:
            case "geometric":
                return LOG
            case "logit":
                return LOGIT
            case "mean" | "sum" | "topics":
                return PLAIN

    @property
    def base(self) -> "Measure":
        """The measure that is averaged: AP where this is GMAP or L-MAP."""
        if not self.family.base:
            return self
        return Measure(FAMILIES[self.family.base], None, self.level, typed=self.typed_base)


MAP = Measure(FAMILIES["map"])
