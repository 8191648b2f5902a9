"""Sources of variation in words, by the sections `source` and `study` of sources.toml."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from irci.output.tables import Row, SourceInReport
from irci.wording import say, templates

THE_REST = "The documents, their judgments and the runs"


LABELLED = ("ap", "new-topics")  # whose pictures say what intervals are for


def sources_of(study: str, names: Iterable[object] | None = None) -> dict[str, SourceInReport]:
    """The words of pictures and pages of a study of another command about its sources, or about those of some names."""
    sentences = templates()[f"study.{study}"]
    labels = {name: say(f"source.{name}.label") if study in LABELLED else "" for name in sentences}
    asked = sentences if names is None else set(names)
    return {name: SourceInReport(labels[name], page) for name, page in sentences.items() if name in asked}


class InWords:
    """A source of variation in words. `name`: the population of its rows; `words_as`: its section, the name unless given."""

    name = ""
    words_as = ""

    def word(self, key: str) -> str:
        """A word or a sentence about it, "" if there is none."""
        return templates().get(f"source.{self.words_as or self.name}", {}).get(key, "")

    @property
    def over(self) -> str:
        """The thing that varies, in sentences and captions."""
        return self.word("over")

    @property
    def counted(self) -> str:
        """The units that messages count."""
        return self.word("counted") or self.over

    @property
    def predicted(self) -> str:
        """The thing that intervals are for where that is no mean over all."""
        return self.word("predicted")

    @property
    def members_of(self) -> str:
        """The groups that stay, whose differences signs of members count as chance."""
        return self.word("members_of")

    @property
    def in_claims(self) -> str:
        """Its name where claims are tried."""
        return self.word("claims") or self.over

    @property
    def in_report(self) -> SourceInReport:
        """The words for pictures and pages."""
        page = f"{self.word('explains')} {self.word('stays') or THE_REST} stay the same there."
        return SourceInReport(self.word("label"), page, self.word("mean"), self.word("means"))

    def explained(self) -> Iterator[str]:
        """Sentences on what intervals over it are for."""
        yield self.word("explains")

    def limits_in_caption(self) -> str:
        """Words for limits in the caption of a table, if they are no confidence limits."""
        return ""

    def sentence(self, row: Row) -> str | None:
        """A sentence of its own on a mean or a difference, of a source without p."""
        return None

    def sentence_on_many(self, measure: str, columns: Mapping[str, Sequence[object]]) -> str | None:
        """A sentence of its own on many pairs, by columns of their rows, of a source without p."""
        return None

    def remarks(self, rows: Sequence[Row]) -> Iterable[str]:
        """Further sentences on rows of means, or of differences."""
        return ()
