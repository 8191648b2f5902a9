"""What commands refuse, and why: words that contradict each other, that mean nothing, or that files cannot answer, and files
of which lines are wrong."""

from pathlib import Path

import pytest
from command_lines import irci
from helpers import QRELS, RUNS, SMALL

# QRELS and RUNS stand behind the words unless these end in a point; the status is 2 unless told before the reason.
REFUSED = r"""
ap-ci --validate 20 -B 0 QRELS RUN1 . => --validate needs resamples
ap-ci --validate 20 --validate nosuch QRELS RUN1 . => 3: nosuch
ap-ci --validate 20 --topics 3 QRELS RUN1 . => 4: no topic has relevant documents
ap-ci --published => --published is for --interval bca, and for --validate
compare --slices (?P<part>.).* => named groups
compare --topics 1,10 --slices (?P<slice>.).* => 4: all topics are in one slice, '1'
judges => add --other-qrels FILE.
judges --other-qrels SMALL/llm.txt -m P_10 QRELS . => --measure is not for labels alone, without RUN...
judges --other-qrels SMALL/llm.txt --table order QRELS . => --table order: this call makes only confusion, labels
judges --other-qrels SMALL/llm.txt . => Missing argument 'QRELS [RUN...]'.
judges --other-qrels SMALL/llm.txt --other-qrels SMALL/llm.txt => two files of one name
judges --other-qrels SMALL/llm.txt --groups ( => --groups (: not a regular expression
judges --other-qrels SMALL/llm.txt --groups zulu => 4: --groups zulu: no run matches
judges --other-qrels SMALL/llm.txt --groups .+ => 4: --groups .+: all runs match
judges --other-qrels SMALL/llm.txt QRELS RUN1 . => 4: needs at least two runs
judges --other-qrels none => 3: no such file
judges --other-qrels SMALL/llm.txt -o SMALL/llm.txt => would overwrite the input
map-ci --baseline nobody => 4: no run is named 'nobody'. There are alpha, bravo
map-ci --all-pairs --baseline alpha => --all-pairs and --baseline do not go together: leave one of them out.
map-ci -m num_ret => num_ret: a count is not averaged
map-ci --interval parametric --population topics => --interval parametric needs --population documents
map-ci --interval bounded --population documents => --interval bounded needs --population topics
map-ci --test randomization => --test needs pairs
map-ci --correction bh => --correction needs pairs
map-ci --small-r none --population topics => --small-r needs --population documents
map-ci -B 0 --ranks => needs resamples: use -B 2
map-ci -B 0 --all-pairs --correction maxt => needs resamples: use -B 2
map-ci --meta fixed --scores => --meta combines intervals over documents, which scores of topics do not
map-ci --meta fixed -m utility => --meta needs scores between 0 and 1, which utility does not have
map-ci --baseline mean --interval parametric --population documents => 4: the mean of all runs is not a run
map-ci --scores --population documents => --population documents resamples documents
map-ci --explain --format csv => --explain cannot be used with tsv, csv and jsonl
map-ci --baseline alpha --test randomization --population both => --test needs --population topics
map-ci --population judgments -J => --judged-only removes the unjudged documents, whose grades the bounds are over.
map-ci --population judgments --scores => --scores: scores have no documents: --population judgments needs QRELS and RUNs.
map-ci --population judgments -l 0 => need -l 1 or more.
map-ci --population judgments -l 5 => 4: no judgment has a grade of 5 or more (-l), the highest is 2
map-ci --population judgments -m AP(rel=5) => relevant from grade 5 on, but the highest grade is 2
map-ci --population judgments --max-grade 1 => 4: grade 2, but --max-grade is 1
map-ci --population judgments --baseline median => --baseline median: unjudged documents are those of runs
map-ci --survives --baseline mean => --baseline mean: unjudged documents are those of runs
map-ci --population judgments --table meta => --table meta: this call makes only estimate
map-ci --judge SMALL/llm.txt --population both => --population both is not for --judge: use topics or same-topics.
map-ci --judge SMALL/llm.txt --correction maxt => --correction maxt is not for --judge
map-ci --judge SMALL/llm.txt -m gm_map => not a mean of scores of topics
map-ci --judge nowhere => 3: nowhere: no such file
map-ci --best --interval prediction --population topics => --best and --interval prediction do not go together
map-ci --best --population documents => --best needs --population topics
map-ci --best --population documents --survives --all-pairs => --best needs --population topics
compare --population documents --survives --fail-if worse,reversed => --fail-if needs pairs over topics
map-ci --baseline mean --baseline median --looks 10,20 => --baseline takes one of mean and median, and runs.
map-ci --best -B 0 => needs resamples: use -B 2
map-ci --best -m unj_10 => --best: by unj_10 no run is better than another.
map-ci -m map -m P_10 --family joint => --family needs pairs
map-ci -m map -m P_10 --baseline r0 --family joint --correction none => adjusts nothing
map-ci -m map -m P_10 --population topics,documents --baseline r0 --family joint --correction maxt => signs of topics
map-ci --ranks --correction bh => --ranks adjusts over all pairs: use --correction maxt or holm
map-ci --ranks --interval parametric => --ranks and --interval parametric do not go together
map-ci --all-pairs --population documents --correction maxt --interval parametric => runs paired
map-ci --baseline r0 --correction maxt --test sign => --correction maxt is about means, --test sign is not
map-ci --ranks --correction holm --test wilcoxon => --ranks and --test wilcoxon do not go together
map-ci --margin .01 => --margin needs pairs
map-ci --power --baseline r0 --population documents => --power needs pairs over topics
map-ci --fail-if not-equivalent --baseline r0 => --fail-if: not-equivalent and inferior need --margin MARGIN
map-ci --interval prediction:0 => '0' is not a whole number from 1 to 1000000
map-ci --margin x% --baseline r0 => is neither an amount from 1e-12 to 1e9, such as .01, nor a percentage
map-ci --survives => --survives needs pairs
map-ci --baseline good --survives --test sign => --survives and --test sign do not go together
map-ci --baseline good --survives --scores => scores do not have: add --clusters, --collections
map-ci --baseline good --survives --clusters SMALL/clusters.txt --mean clusters => --mean clusters do not go together
map-ci --baseline good --survives --slices SMALL/clusters.txt => --survives is not for --slices
map-ci --baseline good --fail-if reversed => --fail-if reversed is about claims: add --survives
map-ci --baseline alpha --other-qrels SMALL/llm.txt => --other-qrels is for --survives
map-ci --baseline alpha --survives --other-qrels SMALL/llm.txt:9999999999 => 3: llm.txt:9999999999: no such file
map-ci --baseline alpha --survives --other-qrels SMALL/llm.txt --other-qrels SMALL/llm.txt => two files of one name
map-ci --baseline alpha QRELS RUN1 . => 4: to compare runs, give at least two
partition-anova -B 1 => '1' is not a whole number from 2 to 10000000
partition-anova => 4: 1 topic has too few relevant documents for 2 parts: 7
partition-anova --policy drop -B 500 QRELS RUN1 . => 4: give at least two runs
partition-anova -m lmap => lmap: not a mean of scores of topics, which this command needs
partition-anova --test anova => 'anova' is not one of 't', 'randomization', 'tukey'
partition-anova -x QRELS --splits 2 => -x FILE is one split
partition-anova -x 1 => not a list of whole numbers from 2 to 100
partition-anova --policy drop -B 500 --groups QRELS => 3: not a run and its team with a tab between them
partition-anova VERSIONS --depth 5 . => scores are read that are already computed: leave out --depth
stdap-ci . => Missing argument '[QRELS RUN...]'
stdap-ci --summary a=.1,.2,30 --summary a=.1,.2,30 . => 4: two summaries are named 'a'
stdap-ci --validate 9 --standardise none --reference random:3 => --reference and --standardise none do not go together
stdap-ci --reference alpha,nobody => 4: no run is named 'nobody'
stdap-ci --reference alpha => 4: only 1 different reference system
stdap-ci --reference random:9 => 4: --reference random:9: there are only 5 runs
stdap-ci --reference random:2 => 4: standardised scores need 3 or more
stdap-ci --reference QRELS => 3: 1: not topic, measure, mean and standard deviation
stdap-ci --sizes 5 => --sizes is for --validate
stdap-ci --validate 9 --sizes 50 => 4: --sizes 50 of
stdap-ci --validate 9 --standardise ab => --validate takes z scores
stdap-ci --reference others --save-factors x => --save-factors and --reference others do not go together
stdap-ci --standardise none --reference others => --reference and --standardise none do not go together
stdap-ci --summary a=.1,.2,30 --validate 9 . => --validate is not for --summary
stdap-ci -m num_ret => num_ret: not a mean of scores of topics, which this command needs
stdap-ci --validate 9 --clusters (?P<cluster>.+) => --clusters is not for --validate
stdap-ci --mean clusters => --mean is for --clusters
stdap-ci --topics 10,11,12,13 --clusters (?P<cluster>1). => 4: one cluster
swap-error . => Missing argument 'QRELS RUN...'
swap-error --table matrix => --table matrix: this call makes only error_rate
swap-error --fuzziness 1,3,...,10 q r . => '1,3,...,10' is not a list of
swap-error --fuzziness .1,.2,...,.35,1 q r . => is not a list of
swap-error --sizes 20 => 4: at most 19
swap-error QRELS RUN1 . => 4: at least two runs that share two topics
swap-error -m gm_map => not a mean of scores of topics, which this command needs
swap-error --standardise z => 4: scores below 0
swap-error --procedure discriminative-power --alpha .0001 => between 1/B and 1
swap-error --versions (?P<topic>.)(?P<version> QRELS . => not a regular expression
swap-error --versions (?P<topic>.)(?P<system>.) QRELS . => its named groups must be
swap-error --versions (?P<version>.) QRELS . => its named groups must be
swap-error --clusters (?P<cluster>.+) --versions (?P<topic>.)(?P<version>.*) => --versions
swap-error --clusters (?P<cluster>.+) --sizes 90 => 4: at most 19 clusters
swap-error --clusters (?P<group>.) => groups must be cluster (of a topic)
swap-error --topics 10,11,12,13 --clusters (?P<cluster>1). => 4: one cluster
wcw . => Missing argument '[QRELS RUN...]'
wcw --variance AP=.05 QRELS . => --variance is given
wcw --variance AP=.05 --width 1e-9 . => 4: takes more than 1,000,000,000 topics
wcw QRELS . => only QRELS given: add RUNs
wcw --variance AP=.05 --alpha .5 --power .4 . => --power must be larger than --alpha
wcw --variance AP=.05 --width 1e-9 --published . => 4: takes more than 1,000,000,000 topics
wcw -m gm_map => gm_map: not a mean of scores of topics, which this command needs
wcw --table noncentrality => QRELS RUN... is not for --table noncentrality
wcw --variance AP=.05 --judge llm.qrels . => --judge QRELS_B goes with people's QRELS and RUN..., or --scores and a file
wcw --variance AP=.05 --judge 1:9 . => 1 is no correlation from 0 to below 1
wcw --variance AP=.05 --judge .7:3 . => 3' is not a whole number from 4
wcw --variance AP=.05 --judge .7:1000 --sizes 3 . => --sizes: human topics are from 4 to 1000
wcw --variance AP=.05 --judge .7:1000 QRELS RUN1 . => --judge R:M without files
wcw --difference .1 --tool ci => --difference is for --tool paired and anova: an interval has
wcw --systems 5 --difference .1 => --systems is for --tool anova.
wcw --systems 5 --tool ci => --systems is for --tool anova.
wcw --width .1 --tool paired --power .4 => --power is for --difference, or for
wcw --tool ci --power .4 => --power is for --difference, or for --tool anova.
wcw --tool ci --published => --published has no effect on --tool ci without --width.
wcw --difference .1 --published --variance AP=.1 . => --published is for --tool anova, and for var
wcw --difference 1e-9 => 4: map: a difference of 1e-09 takes more than 1,000,000,000 topics
wcw --difference .1 QRELS RUN1 . => 4: map: one run makes no pair: give two, or plan by its own variance with
wcw --topics 10,11,12,13 --clusters (?P<cluster>1). => 4: one cluster
wcw --variance AP=.0471 --clusters (?P<cluster>.+) . => --clusters is for variances from files
"""
# The same with a FILE of the text in the middle: | for a line end, ^ for a tab.
WRONG = """
map-ci --population judgments -m bpref FILE RUNS . => 10 0 d -1|11 0 d -1 => but the highest grade is -1
swap-error FILE . => A,B,1,2,3|A,B,1,2| => 3: FILE:2: not two systems and how often the first is better, worse, equal
swap-error FILE . => A,B,1,2,3|B,A,1,2,3| => 3: FILE:2: A and B twice
swap-error FILE . => A,B,1,2,3|A,C,1,x,3| => 3: FILE:2: not two systems
swap-error FILE . => A,B,1,2,3|A,C,1,-2,3| => 3: FILE:2: not two systems
swap-error FILE . => A,A,1,2,3| => 3: FILE:1: not two systems
swap-error FILE . => A,B,,,|A,C,3,4,5| => 3: FILE:1: not two systems
swap-error FILE . => A,B,0,0,0| => 3: FILE: no counts
swap-error FILE . => 301^0^17^1| => only QRELS given: add RUNs, or --scores
swap-error --versions FILE QRELS . =>  => 3: FILE: empty file: no line of run, system and version, or
swap-error --versions FILE QRELS . => A^x| => 3: FILE:1: 2 fields, expected run, system and version, or
swap-error --versions FILE QRELS . => A^x^1|A^x^2| => 3: FILE:2: run 'A' twice
swap-error --versions FILE QRELS . => A^x^1|B^7^x^7^2| => 3: FILE:2: 5 fields, expected run, system and version, with tabs
compare --slices FILE => 1 a|2| => 3: FILE:2: 1 field, expected topic and slice
compare --slices FILE =>  => 3: FILE: empty file: no line of topic and slice
compare --slices FILE => 1 a|1 b| => 3: FILE:2: topic '1' twice
compare --slices FILE => 99 a| => 4: gives no topic a slice
compare --slices FILE => 1 all|2 b| => 4: a slice cannot be called 'all'
compare --plan FILE => measure = nothing| => 3: FILE:1: not TOML:
compare --plan FILE => judged-only = 'yes'| => 3: FILE: judged-only: 'yes' is no value of it
compare --plan FILE => baseline = true| => 3: FILE: baseline: True is no value of it
compare --plan FILE => confidence = 2| => 3: FILE: confidence: 2 must be between 0 and 1
compare --plan FILE => confidence = 1979-05-27| => 3: is no value of it
compare --plan FILE => threads = 2| => 3: FILE: threads is none of what a plan fixes: measure,
compare --plan FILE => measure = ['mpa']| => 3: FILE: measure:
compare --plan FILE => [compare]|measure = ['map']| => 3: compare is none of what a plan fixes
compare --plan FILE => topics = 5| => 3: topics is no list of names, each once
compare --plan FILE => runs = 'bm25'| => 3: runs is no list of names, each once
compare --plan FILE => measure^topic| => 3: not TOML
"""
NAMED = {
    "QRELS": [QRELS],
    "RUN1": [SMALL / "runs" / "alpha.run"],
    "RUNS": RUNS,
    "VERSIONS": ["--scores", "--versions", r"(?P<topic>\d+)(?P<version>\d\d)", SMALL / "versions.csv"],
}


def check(asked: str, reason: str, file: Path | None = None) -> None:
    """Refused for this reason."""
    words = asked.split()
    words = words[:-1] if words[-1] == "." and words[-2] != "--groups" else [*words, "QRELS", "RUNS"]
    status, _, reason = reason.partition(": ") if reason[:2] in ("3:", "4:") else ("2", "", reason)
    named = NAMED if file is None else NAMED | {"FILE": [file]}
    every = [each for word in words for each in named.get(word, [word.replace("SMALL", str(SMALL))])]
    refused = irci(*every, status=int(status))
    reason = reason if file is None else reason.replace("FILE", str(file))
    assert (refused.stdout, reason in " ".join(refused.stderr.split())) == ("", True), refused.stderr


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_what_is_refused(line: str) -> None:
    check(*line.split(" => "))


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_wrong_files_are_refused(line: str, tmp_path: Path) -> None:
    asked, text, reason = line.split(" => ")
    (tmp_path / "file").write_text(text.replace("|", "\n").replace("^", "\t"))
    check(asked, reason, tmp_path / "file")
