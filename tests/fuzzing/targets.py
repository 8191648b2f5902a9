"""What is fuzzed: the check of each kind of file, valid files to begin with, and those that once showed a fault."""

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzzing import small_files
from fuzzing.foreign import check_any
from fuzzing.mutants import Mutator
from fuzzing.options import CommandLines, check_options, warm_up_commands
from fuzzing.plain_text import BOM
from fuzzing.rankings import check_qrels, check_run, check_shares
from fuzzing.tables import check_scores
from irci.data.score_formats import FORMATS
from irci.options import types

CORPUS = Path(__file__).parent.parent.parent / "testdata" / "fuzz"


# Runs and qrels in other formats than TREC's.
FOREIGN = ("columns-run", "ranks-run", "json-run", "columns-qrels", "json-qrels")
# Whole command lines; each takes longer than any file.
LINES = "options"
TARGETS: dict[str, Callable[[bytes], bool]] = {
    "run": check_run,
    "shares": check_shares,
    "qrels": check_qrels,
    **{name: partial(check_any, kind=name.rpartition("-")[2]) for name in (*FOREIGN, "any-run", "any-qrels")},
    "scores": check_scores,
    **{f"scores-{form}": partial(check_scores, form=form) for form in FORMATS},
    "items": check_scores,
    "versions": small_files.check_versions,
    **{
        name: partial(small_files.check_groups, of=getattr(types, name.upper()))
        for name in ("clusters", "slices", "seeds", "passes")
    },
    **{name: partial(small_files.check_small, name=name) for name in ("splits", "teams")},
    "factors": small_files.check_factors,
    **{name: partial(small_files.check_small, name=name) for name in ("counts", "list")},
    LINES: check_options,
}

# Files to begin with.

RUN = b"""401 Q0 FT911-1 1 2.5 tag
401 Q0 FT911-2 2 2.5 tag
401 Q0 FT911-22 3 1e-1 tag
402 Q0 LA010189-0001 1 -3.25 tag
402 Q0 FT911-1 2 -7 tag
401 Q0 z 9 0.1000000000000000055511151231257827 tag
"""
QRELS = b"401 0 FT911-1 1\n401 0 FT911-2 0\n401 0 FT911-22 2\n402 0 LA010189-0001 -1\n402 0 a 1\n40 0 b 3\n"
# Names that elsewhere begin a comment or stand for a mean.
ODD_RUN = RUN.replace(b"401 ", b"5# ").replace(b"402 ", b"all ").replace(b"FT911-2 ", b"# ").replace(b"tag", b"#tag")
ODD_QRELS = QRELS.replace(b"401 ", b"5# ").replace(b"402 ", b"+ ").replace(b"40 ", b"all ").replace(b"FT911-2 ", b"#2 ")
SAVED = b"run\ttopic\tmeasure\tvalue\na\t1\tmap\t0.5\nb\t2\tmap\t1.0\n"
TREC_EVAL = (
    b"map                   \t1\t0.1\nmap                   \t2\t0.5\nP_10                  \t1\t0.3\n"
    b"runid                 \tall\tfirst\nmap                   \tall\t0.3\n"
    b"map                   \t1\t0.2\nrelstring             \t1\t'011'\nmap                   \tall\t0.3\n"
)
JSON = b"""{"query_id": "1", "measure": "AP", "value": 0.5}
{"query_id": "2", "measure": "nDCG@10", "value": 1}
{"query_id": "all", "measure": "AP", "value": 0.25}
"""
COLUMNS = [
    b"query_id\tdoc_id\tscore\nq1\td1\t2.5\nq1\td2\t2\nq2\td1\t-1e-3\n",
    b'# made by hand\n"qid","docno","rank","score","query"\r\n"q1","d1",1,2.5,"what, now"\r\nq1,"d""2",2,2,"a\nb"\r\n',
    b"rank;q_id;doc-id;tag\n1;#5;d1;bm25\n2;#5;#;bm25\n0;all;d1;bm25\n",
    b",topic,docid,score,text\n0,1,x,.5,who are you\n\n1,1,y, 7 ,and I\n2,2,z,17976931348623157e292,\n",
    b'"q-id","query-id"\t"corpus-id"\t"score"\n'.replace(b'"q-id",', b"") + b'"q1"\t"d1"\t1.5\n"q1"\t"d2"\t"1"\n',
]
OBJECTS = [
    b'{"q1": {"d1": 2.5, "d2": 2}, "q2": {"d1": -1e-3}}',
    b'{"q1":{"d\\u00e9\\"\\/":1E+2,"d2":0},\n "q2" : {}, "q\\ud83d\\ude00":{"\xc3\xa9":5}}\n',
    b'{"mteb_model_meta": {"name": "a, b", "of": [{}, "}"]}, "default": {"test": {"q": {"d": 1, "e": 0.5}}}}',
    b'# made by hand\n{"q": {"d": 1, "e": 3}, "mteb_model_meta" : {"name": null}}',
]
JUDGED = [
    b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td1\t-2\n",
    b'qid,docno,label,note\r\n1,a,1,\r\n1,b,2.0,x y\r\n2,a,+3,""""\r\n',
    b"iteration;relevance;doc_id;query_id\n0;9007199254740991;a;#\n0;0;b;#\n",
]
RANKS = [
    b"q1\td1\t1\nq1\td2\t2\nq2\td1\t1\n",
    b"# of a run\n5# d1 1 \n5# d3 2\n5#  d2\t0\r\n\n# d1 0\nall d 0\n",
    b"1 %b 1\n1 %b 2\n" % (b"d" * 70, b"e" * 64),
]
SCORES = {
    "trec_eval": [TREC_EVAL],
    "ir_measures": [JSON, b"#1\tnDCG@10\t0.25\nq1\tAP\t0.5\nq2\tnDCG@10\t0.75\nall\tnDCG@10\t0.5\n"],
    "long": [SAVED, b"Query,System,Metric,Score\n2,a,map,.5\n10,a,AP,.25\n2,\"b,c\",P_10,1e-3\nall,a,map,1\n"],
    "json": [
        b'{"q1": {"map": 0.5, "P_5": 1e-1}, "q2": {"map": 0.25}}',
        b'{"run": {"map": {"1": 0.5, "2": 1}}, "another run": {"1": {"AP": 0.75}}}',
        b'{"the first of all queries": {"ndcg": 0.123456789012}}',
        b'{"task_name": "STS12", "scores": {"test": [{"hf_subset": "default", "main_score": 0.5, "of": ["x"]}]}}',
    ],
    "matrix": [b"a,b\n.1,.2\n.3,7e-04\n", b"topic\ta\tb\n401\t.1\t.2\n402\t.3\t.4\nall\t.2\t.3\n"],
}  # fmt: skip
SEEDS: dict[str, list[bytes]] = {
    "run": [RUN, RUN.replace(b"\n", b"\r\n"), BOM + b"# comment\n\n" + ODD_RUN, b"1 Q0 a 1 1 x", gzip.compress(RUN, mtime=0)],
    "shares": [RUN, BOM + b"# comment\n\n" + RUN, ODD_RUN, RUN.replace(b"tag\n402", b"other\n402")],
    "qrels": [QRELS, QRELS.replace(b" ", b"\t"), BOM + b"\n # c\n" + ODD_QRELS, gzip.compress(QRELS, mtime=0)],
    "columns-run": COLUMNS,
    "ranks-run": RANKS,
    "json-run": OBJECTS,
    "any-run": [*COLUMNS[:2], RANKS[0], OBJECTS[0], RUN, ODD_RUN, RUN.replace(b" ", b"\t")],
    "columns-qrels": JUDGED,
    "json-qrels": [each.replace(b"2.5", b"2").replace(b"0.5", b"3").replace(b"-1e-3", b"-1") for each in OBJECTS],
    "any-qrels": [JUDGED[0], OBJECTS[0].replace(b"2.5", b"2").replace(b"-1e-3", b"7"), QRELS, ODD_QRELS],
    "scores": [each for some in SCORES.values() for each in some],
    **{f"scores-{form}": some for form, some in SCORES.items()},
    "items": [
        b'{"doc_id": 0, "doc": {"q": "?"}, "filter": "none", "metrics": ["acc"], "acc": 1.0}\n{"doc_id": 1, "acc": 0.25}\n',
        b'{"version": 2, "eval": {"task": "sums", "model": "lab/a"}, "samples": [{"id": "x", "epoch": 1, "scores":'
        b' {"exact": {"value": 0.5}, "of": {"value": {"a": 1, "b": 0.125}}}}, {"id": 7, "epoch": 2, "scores": {}}]}',
    ],
    "versions": [b"r1\ts1\tv1\nr2\ts1\tv2\n", b"r\t401-1\ts\t401\t1\nr\t401-2\ts\t401\t2\nq\t401-1\tq\t401\t1\n"],
    "slices": [b"401 a\n402 a\n403 b\n", b"# topic slice\n#5\ts1\r\n\n# s2\nall all\n"],
    "passes": [b"a1.txt 1 a\na2.txt 2 a\nb 1\n", b"# file pass\n#p 1\n# 2 b\n"],
    "clusters": [b"401 a\n402 a\n403 b\n", b"# topic cluster\n#5\tc1\r\n\n# c2\nall c1\n"],
    "seeds": [b"r1 s 1\nr2 s 2\nr3 t -\n", b"# run system seed\n#r s 1\n# s 2\n"],
    "splits": [b"d1 a\nd2 b\nd3 a\n", b"# docno part\n#d 1\n# 2\n"],
    "teams": [b"run\tteam\nr1\ta\nr2\ta\n", b"# note\n# r\tt\n#r\tt u\n"],
    "factors": [b"#1\tmap\t0.25\t0.125\n2\tmap\t0.5\t0.0\n1\tP_10\t-1e-3\t2\n", b"1 AP 0.1 0.1\n1 recall_5 0.5 0.2\n"],
    "counts": [b"a,b,3,2,1\na,c,0,0,6\n", b"system\tother\tbetter\tworse\tequal\na\tb\t3\t2\t1\nb\tc\t1\t1\t0\n"],
    "list": [b"401\n402\n# c\n\n403\n", b"401\r\n402", b"#5\n#\n ## c\nall\n"],
}  # fmt: skip


def corpus(name: str) -> list[Path]:
    """The files kept for a target: they are named TARGET.what-it-is."""
    return sorted(path for path in CORPUS.glob(f"{name}.*"))


def maker(name: str, seed: int) -> Callable[[], bytes]:
    """What makes one thing after the other for a target: the same seed, the same things."""
    if name == LINES:
        return CommandLines(seed).line
    mutator = Mutator(seed)
    found = [path.read_bytes() for path in corpus(name) if path.stat().st_size < 4096]
    seeds = SEEDS[name] * (1 + 2 * len(found) // len(SEEDS[name])) + found  # most mutants come from what is valid
    return lambda: mutator.mutant(seeds)


def warm_up(lines: bool = True) -> None:
    """Have the kernels compiled, which takes longer than a reader may; those of whole commands too, or of readers alone."""
    for name in ("run", "shares", "qrels", *FOREIGN):
        for data in SEEDS[name]:
            TARGETS[name](data)
    if lines:
        warm_up_commands()
