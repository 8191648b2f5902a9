"""What a difference over resampled documents may be said to show; nothing where measures look at the top alone.

Two jittered copies of one ranking, exchangeable on every topic, differ significantly over documents in 9 to 13 of 100 pairs by
RR, success and the like, where it should be 5; over topics in 3 to 5 (doc/trust.md).
"""

from irci.base.choices import DOCUMENTS
from irci.base.errors import logger
from irci.data.measures import Measure
from irci.studies.compare.family import Scored
from irci.studies.compare.request import Request


def of_other_documents(measure: Measure, *, found: bool) -> str:
    """The conclusion from a significant, or another, difference over documents."""
    if found and measure.is_of_the_top:
        return too_sure(measure)
    return f"a different sample of documents {'is unlikely to' if found else 'could'} reverse this"


def too_sure(measure: Measure) -> str:
    """The reason why nothing is concluded from p over documents."""
    return f"in {measure.name}, p over documents is too small to rely on; rely on topics (--population topics)"


def warn_of_the_top(request: Request, scored: Scored) -> None:
    """Warn of p and limits over documents of pairs by measures that look at the top alone."""
    has_p = (request.has_pairs or request.ranks) and scored.resampled is not None
    if has_p and any(source.name == DOCUMENTS for source in scored.sources):
        names = [measure.name for measure in scored.measures if measure.is_of_the_top]
        if names:
            logger.warning(
                f"p and limits over documents are too confident for {', '.join(names)}: about 10 in 100 equal pairs have p"
                " below .05 (--population topics)"
            )
