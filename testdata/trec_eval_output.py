"""Make trec_eval's output for the small collection anew: python testdata/trec_eval_output.py, with trec_eval 10 on the PATH

trec_eval/README.md here tells what the committed files were made with.
"""

import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / "trec_eval"
LEFT_OUT = (b"runid", b"relstring")  # no numbers
ALL = ["-m", "all_trec"]
# Under -J a topic missing from the run retrieves nothing, of which iprec_at_recall and 11pt_avg are 0 / 0 there.
DEFINED = [
    part
    for measure in (
        "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "P", "recall", "infAP",
        "gm_bpref", "Rprec_mult", "utility", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P",
        "success", "set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "rbp", "unj",
    )
    for part in ("-m", measure)
]  # fmt: skip
QRELS = "small/qrels.txt"
CORNER = ("trec_eval/corner.qrels", "trec_eval/corner.run")
# Output: options, qrels, run. trec_eval has no topics that are missing from a run without -c.
CASES = {
    "alpha": (ALL, QRELS, "small/runs/alpha.run"),
    "bravo": (ALL, QRELS, "small/runs/bravo.run.gz"),
    "charlie": (ALL, QRELS, "small/runs/charlie.run.gz"),
    "delta": (ALL, QRELS, "small/runs/delta.run.gz"),
    "echo": (ALL, QRELS, "small/runs/echo.run.gz"),
    "charlie-M100": (["-M", "100", *ALL], QRELS, "small/runs/charlie.run.gz"),
    "delta-l2": (["-l", "2", *ALL], QRELS, "small/runs/delta.run.gz"),
    "bravo-parameters": (
        ["-m", "iprec_at_recall..10,.20,.25,.75,.50", "-m", "P.5,7,3", "-m", "recall.20,2000", "-m", "ndcg_cut.10,20,23",
         "-m", "map_cut.7", "-m", "success.2,5,20", "-m", "Rprec_mult.0.2,0.35,5.0", "-m", "relative_P.7", "-m", "unj.3,15"],
        QRELS, "small/runs/bravo.run.gz",
    ),
    "corner": (ALL, *CORNER),
    "corner-l2": (["-l", "2", *ALL], *CORNER),
    "corner-M3": (["-M", "3", *ALL], *CORNER),
    "charlie-J": (["-J", *ALL], QRELS, "small/runs/charlie.run.gz"),
    "delta-J-l2": (["-J", "-l", "2", *DEFINED], QRELS, "small/runs/delta.run.gz"),
    "charlie-J-M100": (["-J", "-M", "100", *ALL], QRELS, "small/runs/charlie.run.gz"),
    "corner-J": (["-J", *DEFINED], *CORNER),
    "corner-J-M3": (["-J", "-M", "3", *DEFINED], *CORNER),
}  # fmt: skip


def main() -> None:
    """Write all files in trec_eval/."""
    if shutil.which("trec_eval") is None:
        sys.exit("trec_eval is not on the PATH (see testdata/trec_eval/README.md)")
    version = subprocess.run(["trec_eval", "-v"], capture_output=True, text=True).stderr.split()[-1:]
    if not version or not version[0].startswith("10"):
        sys.exit(f"trec_eval 10 is wanted, this is {' '.join(version) or 'another'}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (options, qrels, run) in CASES.items():
            packed = (HERE / run).read_bytes()
            plain = Path(folder) / "run"  # trec_eval does not read gzip
            plain.write_bytes(gzip.decompress(packed) if run.endswith(".gz") else packed)
            output = subprocess.run(
                ["trec_eval", "-q", "-c", *options, HERE / qrels, plain], check=True, stdout=subprocess.PIPE
            ).stdout
            lines = [line for line in output.splitlines(keepends=True) if not line.startswith(LEFT_OUT)]
            (FOLDER / f"{name}.txt").write_bytes(b"".join(lines))


if __name__ == "__main__":
    main()
