"""From a file to the means of some measures over topics, by irci, in plain Python and by other programs."""

import statistics
import warnings
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import naive
import numba
import numpy as np

from irci.data import inputs as trec
from irci.data.collection import judge
from irci.measures import JudgedLists, parse

# Twenty measures: their names in ir_measures, where the mean of several is meant, and in ranx.
MEASURES = {
    "map": ("AP", "map"),
    "Rprec": ("Rprec", "r-precision"),
    "bpref": ("Bpref", "bpref"),
    "recip_rank": ("RR", "mrr"),
    "P_5": ("P@5", "precision@5"),
    "P_10": ("P@10", "precision@10"),
    "P_20": ("P@20", "precision@20"),
    "P_100": ("P@100", "precision@100"),
    "recall_10": ("R@10", "recall@10"),
    "recall_100": ("R@100", "recall@100"),
    "recall_1000": ("R@1000", "recall@1000"),
    "infAP": ("infAP", None),
    "11pt_avg": (" ".join(f"IPrec@{tenth / 10}" for tenth in range(11)), None),
    "ndcg": ("nDCG", "ndcg"),
    "ndcg_cut_10": ("nDCG@10", "ndcg@10"),
    "ndcg_cut_100": ("nDCG@100", "ndcg@100"),
    "map_cut_100": ("AP@100", "map@100"),
    "success_1": ("Success@1", "hit_rate@1"),
    "set_P": ("SetP", "precision"),
    "set_recall": ("SetR", "recall"),
}

# Its recall cutoffs are others in the trec_eval that the binding has than in trec_eval 10, whose scores are ours.
OLDER = {"11pt_avg"}
SLOW = {"ir_measures", "ranx"}

# From a file to the means of some measures over topics.
Scorer = Callable[[Path], list[float]]


def scorer_of_irci(qrels: Path, names: list[str]) -> Scorer:
    """Ours, with judgments read before."""
    judged = trec.read_qrels(str(qrels))
    judgments = JudgedLists.of_no_run(judged, 1)
    measures = [measure for name in names for measure in parse(name)]

    def score(run: Path) -> list[float]:
        lists = judgments.of_run(judge(judged, trec.read_run(str(run))))
        return [measure.summary(measure.scores(lists)) for measure in measures]

    return score


def scorer_of_naive(qrels: Path, names: list[str]) -> Scorer:
    """MAP in plain Python."""
    judgments = naive.read_qrels(str(qrels))

    def score(run: Path) -> list[float]:
        rankings = naive.read_run(str(run))
        scores = []
        for topic, grades in judgments.items():
            relevance = [grades.get(docno, 0) > 0 for docno in rankings.get(topic, [])]
            scores.append(naive.average_precision(relevance, sum(grade > 0 for grade in grades.values())))
        return [statistics.fmean(scores)]

    return score


def scorer_of_pytrec_eval(qrels: Path, names: list[str]) -> Scorer:
    """trec_eval's binding."""
    import pytrec_eval

    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(map(_in_binding, names)))

    def score(run: Path) -> list[float]:
        with run.open() as file:
            topics = evaluator.evaluate(pytrec_eval.parse_run(file)).values()
        return [statistics.fmean(scores[name] for scores in topics) for name in names]

    return score


def scorer_of_ir_measures(qrels: Path, names: list[str]) -> Scorer:
    """Its evaluator of choice."""
    import ir_measures

    measures = [[ir_measures.parse_measure(part) for part in MEASURES[name][0].split()] for name in names]
    evaluator = ir_measures.evaluator(list(chain(*measures)), list(ir_measures.read_trec_qrels(str(qrels))))

    def score(run: Path) -> list[float]:
        means = evaluator.calc_aggregate(ir_measures.read_trec_run(str(run)))
        return [statistics.fmean(means[part] for part in parts) for parts in measures]

    return score


def scorer_of_ranx(qrels: Path, names: list[str]) -> Scorer:
    """As many of the measures as it has, the others nan; on all its threads."""
    import ranx

    warnings.filterwarnings("ignore", category=numba.core.errors.NumbaTypeSafetyWarning)
    judgments = ranx.Qrels.from_file(str(qrels), kind="trec")
    theirs = [MEASURES[name][1] for name in names]
    chosen = [name for name in theirs if name]

    def score(run: Path) -> list[float]:
        run_read = ranx.Run.from_file(str(run), kind="trec")
        means = ranx.evaluate(judgments, run_read, chosen, make_comparable=True)
        return [means[name] if name else np.nan for name in theirs] if len(chosen) > 1 else [means]

    return score


SCORERS = {
    "irci": scorer_of_irci,
    "naive": scorer_of_naive,
    "pytrec_eval": scorer_of_pytrec_eval,
    "ir_measures": scorer_of_ir_measures,
    "ranx": scorer_of_ranx,
}


def _in_binding(name: str) -> str:
    """The measure's name in the binding, which takes cutoffs after a dot."""
    family, _, cut = name.rpartition("_")
    return f"{family}.{cut}" if cut.isdigit() else name
