"""How measures are spelled: as trec_eval does, as ir_measures does, and so that what is printed is read back.

A measure with a relevance level of its own is what -l makes of the others; that is tested here too, command by command.
"""

from functools import partial
from pathlib import Path

import pytest
from command_lines import irci as command
from command_lines import result_lines
from helpers import QRELS, RUNS, written
from hypothesis import given
from hypothesis import strategies as st

from irci.measures import FAMILIES, TABLE, Measure, named, parse

ALPHA, BRAVO, *_ = RUNS
# Names as they come in papers, scripts and score files, with levels, arguments, quotes, commas.
HARD = "RBP(p=0.8,rel=2) nDCG(dcg='exp-log2')@10 AP(rel=2)@100 RR@10 IPrec@0.125 P(rel=2)@5 11pt_avg(rel=2)"

irci = partial(command, status=0)


def of(names: str) -> list[str]:
    """The options that ask for these measures."""
    return [word for name in names.split() for word in ("-m", name)]


def rows(*arguments: str) -> list[list[str]]:
    """Their cells, the first without padding."""
    lines = [line.split("\t") for line in result_lines(irci(*arguments, "--quiet").stdout)]
    return [[line[0].strip(), *line[1:]] for line in lines]


def measures_of(*arguments: str) -> list[str]:
    """The measures of the rows, in their order."""
    return list(dict.fromkeys(row[0] for row in rows(*arguments)))


# As it is typed, and as trec_eval or, where that has no name, irci calls what is meant.
NAMES = """
map map | AP map | MAP map | AP@100 map_cut_100 | AP(rel=1) AP(rel=1) | AP(rel=2) AP(rel=2) | AP(rel=2)@100 AP(rel=2)@100
map(rel=2) AP(rel=2) | map_cut.5,10(rel=2) AP(rel=2)@5 AP(rel=2)@10 | gm_map(rel=2) gm_map(rel=2) | 11pt_avg 11pt_avg
P_10 P_10 | P.5,10,20 P_5 P_10 P_20 | P@10 P_10 | P@5,10 P_5 P_10 | P(cutoff=10) P_10 | P.05 P_5 | unj unj_5 unj_10 unj_20
P P_5 P_10 P_15 P_20 P_30 P_100 P_200 P_500 P_1000 | P+@20 Pplus@20 | P+(rel=2) Pplus(rel=2) | Q Q | Bpref bpref
nDCG@10 ndcg_cut_10 | nDCG ndcg | nDCG(dcg='log2')@10 ndcg_cut_10 | nDCG(dcg='exp-log2')@10 nDCG(dcg='exp-log2')@10
nDCG(cutoff=10,dcg=exp-log2) nDCG(dcg='exp-log2')@10 | nDCG(dcg='exp-log2') nDCG(dcg='exp-log2') | ndcg_cut.10 ndcg_cut_10
ndcg_cut_100000 ndcg_cut_100000 | R@1000 recall_1000 | R(rel=2)@1000 R(rel=2)@1000 | infAP(rel=2) infAP(rel=2)
RR recip_rank | RR@10 RR@10 | recip_rank_10 RR@10 | RR(rel=2)@10 RR(rel=2)@10 | Judged@10 Judged@10 | Judged Judged
Success@1 success_1 | success success_1 success_5 success_10 | SetP set_P | SetR set_recall | SetF set_F | SetAP set_map
SetF(beta=0.5) set_F_0.5 | SetF(rel=2,beta=0.5) SetF(beta=0.5,rel=2) | SetF(beta=.50,rel=2) SetF(beta=.50,rel=2)
SetP(relative=True,rel=2) SetRelP(rel=2) | SetRelP set_relative_P | NumQ num_q | NumRet num_ret | NumRelRet num_rel_ret
NumRet(rel=2) NumRet(rel=2) | NumRel(rel=2) NumRel(rel=2) | IPrec@0.1 iprec_at_recall_0.10 | IPrec@0.125 IPrec@0.125
IPrec(recall=0.1,rel=2) IPrec(rel=2)@0.1 | iprec_at_recall_0.50 iprec_at_recall_0.50 | map_cut.1234567 map_cut_1234567
iprec_at_recall.0.5,.121 iprec_at_recall_0.50 IPrec@0.121 | Rprec_mult.0.2,5 Rprec_mult_0.20 Rprec_mult_5.00
set_F_2 set_F_2 | set_F.2.0,.50,1e10,1234567 set_F_2.0 set_F_.50 set_F_1e10 set_F_1234567 | rbp.p=0.8 rbp_p=0.8 | rbp rbp
rbp.0.123456789 rbp_p=0.123456789 | RBP rbp_p=0.8 | RBP(p=0.9) rbp_p=0.9 | RBP(rel=2) RBP(p=0.8,rel=2)
RBP(rel=2,p=0.5) RBP(p=0.5,rel=2) | ndcg_exp_cut_10 nDCG(dcg='exp-log2')@10 | ERR_20 ERR@20 | nERR_20 nERR@20 | Q_10 Q@10
Pplus_10 Pplus@10
"""
# As it is typed, and as it is printed: what is spelled as trec_eval spells is printed as it prints.
AS_TYPED = """
nDCG@10 nDCG@10 | ndcg@10 ndcg@10 | AP AP | MRR MRR | P@5,10 P@5 P@10 | AP(rel=2)@5,010 AP(rel=2)@5 AP(rel=2)@010 | RBP RBP
map(rel=2) map(rel=2) | ndcg_cut.10 ndcg_cut_10 | recall.5,10 recall_5 recall_10 | rbp.p=0.8 rbp_p=0.8
Recall recall_5 recall_10 recall_15 recall_20 recall_30 recall_100 recall_200 recall_500 recall_1000
map_cut.5,10(rel=2) AP(rel=2)@5 AP(rel=2)@10
"""


def cases(table: str) -> list[list[str]]:
    """The words of each case."""
    return [case.split() for line in table.strip().splitlines() for case in line.split("|")]


@pytest.mark.parametrize(
    ("text", "names"),
    [(text, names) for text, *names in cases(NAMES)] + [('nDCG( dcg = "exp-log2" )@10', ["nDCG(dcg='exp-log2')@10"])],
)
def test_names(text: str, names: list[str]) -> None:
    assert [measure.canonical for measure in parse(text)] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [(text, names) for text, *names in cases(AS_TYPED)]
    + [("nDCG( dcg = 'exp-log2' )@10", ["nDCG(dcg='exp-log2')@10"])],
)
def test_names_as_typed(text: str, names: list[str]) -> None:
    """What is printed is what was typed, but for blanks; and read back it is the same again."""
    found = parse(text)
    assert [measure.name for measure in found] == names
    assert [parse(name) for name in names] == [[measure] for measure in found]
    assert [parse(name)[0].name for name in names] == names


@pytest.mark.parametrize("options", [[], ["--population", "documents", "-B", "20"], ["--scores"]], ids=str)
def test_measures_are_printed_in_the_order_asked_and_once(options: list[str], tmp_path: Path) -> None:
    """Under the first name of each, whatever a file of scores calls them; -q and ap-ci keep trec_eval's order."""
    asked, files = of("nDCG@10 P.5 lmap MAP ndcg_cut_10 AP"), [QRELS, ALPHA]
    if "--scores" in options:
        irci("ap-ci", "-B", "0", "--save-scores", tmp_path / "saved", *of("map P@5 nDCG@10"), *files)
        files = [str(tmp_path / "saved")]
    assert measures_of("map-ci", *options, *asked, *files) == ["nDCG@10", "P_5", "lmap", "lmap_logit", "MAP"]
    if not options:
        of_topics = [row[0] for row in rows("map-ci", "-q", *asked, *files) if row[1] == "1"]
        assert of_topics == ["MAP", "P_5", "nDCG@10"]
        of_all = measures_of("ap-ci", "--table", "estimate", *of("nDCG@10 P@5 AP"), *files)
        assert of_all == ["AP", "P@5", "nDCG@10"]


def test_derived_rows_and_sentences_follow_the_name_typed() -> None:
    options = ["--baseline", "alpha", "--ranks", "--meta", "fixed", "--explain", QRELS, ALPHA, BRAVO]
    told = irci("map-ci", *of("AP nDCG@10"), *options).stdout
    assert {line.split("\t")[0].strip() for line in result_lines(told)} == {
        "AP", "nDCG@10", "AP_diff", "nDCG@10_diff", "AP_logit_diff_fixed", "nDCG@10_logit_diff_fixed", "rank",
    }  # fmt: skip
    assert "\tnDCG@10\n" in told  # ranked_by
    assert " than alpha in nDCG@10" in told or " than bravo in nDCG@10" in told
    assert "ndcg_cut_10" not in told


NUMBERS = {
    "": st.none(), "rank": st.integers(1, 2**31 - 1), "recall": st.floats(0, 1), "persistence": st.floats(0, 1),
    "multiple": st.floats(0, 1e6), "beta": st.floats(0, allow_infinity=False),
}  # fmt: skip
LEVELS = {"none": st.none(), "optional": st.none() | st.integers(0, 1000), "required": st.integers(0, 1000)}
OF_ANY = st.sampled_from(TABLE).flatmap(
    lambda family: st.tuples(
        st.just(family), st.sampled_from(family.defaults) | NUMBERS[family.parameter], LEVELS[family.level]
    ).map(lambda parts: Measure(*parts))
)


@given(OF_ANY)
def test_what_is_printed_is_read_back(measure: Measure) -> None:
    """All families, with any parameter and level: the same measure, spelled the same, and no name with a blank or a tab."""
    assert parse(measure.name) == [measure]
    assert named(measure.name) == measure
    assert not set(measure.name) & set(" \t\n")


def test_parameters_are_printed_in_full_and_once() -> None:
    """The same parameter spelled twice is one; recalls that trec_eval would print alike are two."""
    assert Measure(FAMILIES["set_F"], 2.0).name == "set_F_2"
    assert Measure(FAMILIES["rbp"], 0.123456789).name == "rbp_p=0.123456789"
    command = ["map-ci", "--population", "topics", QRELS, ALPHA]
    assert [row[0] for row in rows(*command, *of("set_F.2.0,2 set_F_2e0"))] == ["set_F_2.0"]
    assert [row[0] for row in rows(*command, *of("iprec_at_recall.0.121,.124"))] == ["IPrec@0.121", "IPrec@0.124"]


def test_old_names_of_cuts_are_read() -> None:
    """NAME_10 is read for all that have a cut at a rank, whoever prints it how."""
    for family in (family for family in TABLE if family.parameter == "rank"):
        assert parse(f"{family.name}_10") == [Measure(family, 10)]


@pytest.mark.parametrize(
    "text",
    [
        "", "nope", "MAPS", "P_0", "P_x", "P_-1", "map_10", "P_1_0", "P_\u0661", "P@", "ndcg_cut_1.5", "rbp_p=2",
        "iprec_at_recall_10", "P_99999999999999999999", "bpref@10", "set_F_nan", "set_F_1_0", "set_F_inf", "R", "RBP(p=2)",
        "nDCG(rel=2)@10", "Judged(rel=1)", "AP(rel=x)", "AP(rel=-1)", "AP(rel=)", "rbp_binary", "rbp(rel=2)",
        "P(judged_only=True)@5", "P@5(rel=2)", "AP(rel=2", "AP)rel=2(", "AP(rel=2)(rel=3)", "AP@10@20", "()", "@10",
        "P(cutoff=5)@10", "P_5(cutoff=3)",
        "nDCG(gains={0:1,1:2})@10", "nDCG(dcg='foo')@10", "AP(rel=2,rel=3)", "AP(2)", "RBP(p=.5)@10", "SetP(relative=Maybe)",
        "iprec_at_recall_nan", "Rprec_mult_1e7", "official", "all_trec", "AP(rel=99999999999)", "P_" + "9" * 5000, "AP(rel=١)",
    ],
)  # fmt: skip
def test_what_is_no_measure(text: str) -> None:
    with pytest.raises(ValueError, match=r"needs a|no measure|takes no|KEY=VALUE"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "meant"), [("nDGC@10", "nDCG@10"), ("recal_1000", "recall_1000"), ("mapp", "map"), ("zzz", "")]
)
def test_a_name_that_is_nearly_right_is_told(text: str, meant: str) -> None:
    with pytest.raises(ValueError, match="no measure") as error:
        parse(text)
    assert str(error.value) == f"no measure {text!r};{f' is it {meant}?' if meant else ''} irci measures lists them all"


def test_help_fits_eighty_columns_and_tells_what_is_left_out() -> None:
    told = irci("measures").stdout
    assert max(map(len, told.splitlines())) <= 80
    assert all(name in told for name in ("runid", "relstring", "prefs_*", "rbp_resid", "ir_measures"))
    assert all(family.pattern in told for family in TABLE)


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("own", "option", "plain"),
    [
        ("RR@10", "-M 10", "recip_rank"), ("P(rel=2)@5", "-l 2", "P_5"), ("Rprec(rel=2)", "-l 2", "Rprec"),
        ("RR(rel=2)", "-l 2", "recip_rank"), ("Bpref(rel=2)", "-l 2", "bpref"), ("AP(rel=2)@100", "-l 2", "map_cut_100"),
        ("R(rel=2)@100", "-l 2", "recall_100"), ("NumRel(rel=2)", "-l 2", "num_rel"),
        ("NumRet(rel=2)", "-l 2", "num_rel_ret"), ("gm_bpref(rel=2)", "-l 2", "gm_bpref"),
        ("ERR(rel=2)@20", "-l 2", "ERR@20"), ("Q(rel=2)", "-l 2", "Q"), ("SetF(beta=0.5,rel=2)", "-l 2", "set_F_0.5"),
        ("11pt_avg(rel=2)", "-l 2", "11pt_avg"), ("gm_map(rel=2)", "-l 2", "gm_map"),
    ],
)  # fmt: skip
def test_a_level_or_cut_of_its_own_is_what_an_option_makes_of_the_others(own: str, option: str, plain: str) -> None:
    """Scores and limits: the rows are the same but for the name."""
    command = ["ap-ci", "-q", "-B", "0" if option == "-M 10" else "50"]
    with_own = rows(*command, "-m", own, QRELS, ALPHA)
    with_option = rows(*command, *option.split(), "-m", plain, QRELS, ALPHA)
    assert [row[0] for row in with_own] == [own] * len(with_own)
    assert [row[1:] for row in with_own] == [row[1:] for row in with_option]
    assert len(with_own) > (0 if plain.startswith("gm_") else 20)
    assert [row[2] for row in with_own] != [row[2] for row in rows("ap-ci", "-q", "-B", "0", "-m", plain, QRELS, ALPHA)]


def test_levels_beside_each_other() -> None:
    """Three levels of one measure in one table, each what it is alone, -l left to those without one."""
    several = of("AP(rel=1) AP(rel=2) AP P(rel=1)@5")
    found = {row[0]: row[2] for row in rows("ap-ci", "-B", "0", "-l", "2", *several, QRELS, ALPHA)}
    assert list(found) == ["AP", "AP(rel=1)", "AP(rel=2)", "P(rel=1)@5"]
    assert found["AP"] == found["AP(rel=2)"] != found["AP(rel=1)"]
    assert found["AP(rel=1)"] == rows("ap-ci", "-B", "0", "-m", "map", QRELS, ALPHA)[-1][2]


OF_PARTS = "-x 2 --splits 1 -B 20 --policy zero --topics 1,2,5,6,8,9,10,11,12,13,14,15"


@pytest.mark.parametrize(
    ("command", "options", "runs"),
    [("map-ci", "--all-pairs -B 100 --population both", [ALPHA, BRAVO]), ("partition-anova", OF_PARTS, RUNS)],
)
def test_pairs_and_parts_with_a_level_of_their_own(command: str, options: str, runs: list[str]) -> None:
    """Documents that are relevant at that level are compared, a part without them gives no score: all but the names is as
    with -l. (check counts relevant documents of -l.)"""
    asked = [*options.split(), "--format", "csv", QRELS, *runs]
    own = irci(command, "-m", "AP(rel=2)", *asked).stdout.replace("AP(rel=2)", "map")
    plain = irci(command, "-l", "2", "-m", "map", *asked).stdout
    of_own, of_plain = ([line for line in text.splitlines() if "check_" not in line] for text in (own, plain))
    assert of_own == of_plain
    assert len(of_own) > (3 if command == "map-ci" else 15)


def test_topics_without_documents_of_a_measures_own_level_are_told() -> None:
    """-l's topics are told of as ever; --no-relevant is about those."""
    several = of("map AP(rel=2) P(rel=2)@5 AP(rel=0)")
    told = irci("ap-ci", "-B", "0", *several, QRELS, *RUNS).stderr.splitlines()
    told = [line for line in told if "without documents of grade" in line]
    by_l = irci("ap-ci", "-B", "0", "-l", "2", QRELS, ALPHA).stderr.splitlines()
    by_l = [line for line in by_l if "relevant doc" in line]
    assert len(told) == len(by_l) == 1
    assert "scored 0 by measures with rel=2" in told[0]
    assert told[0].endswith(": 4 7")
    assert by_l[0].endswith(": 3 4 7")  # 3 has none of grade 1 either


@pytest.mark.parametrize("form", ["save", "csv", "tsv"])
def test_hard_names_go_through_files_and_back(form: str, tmp_path: Path) -> None:
    """Quotes, parentheses, commas and signs in names: what is written is read as the same measures and scores."""
    path, asked = tmp_path / f"scores.{form}", [*of(HARD), QRELS, ALPHA, BRAVO]
    if form == "save":
        irci("ap-ci", "-B", "0", "--save-scores", path, *asked)
    else:
        path.write_text(irci("ap-ci", "-q", "-n", "-B", "0", "--format", form, *asked).stdout)
    expected, read = rows("ap-ci", "-q", "-B", "0", *asked), rows("ap-ci", "-q", "--scores", *of(HARD), str(path))
    assert len(expected) > 150
    topics_of = [[row[:3] + row[5:6] for row in table if row[1] != "all"] for table in (expected, read)]
    assert sorted(topics_of[0]) == sorted(topics_of[1])


def test_names_of_ir_measures_output_are_read(tmp_path: Path) -> None:
    """Its AP is rel=1 and its RBP p=.8, which it does not print."""
    names = ["AP", "AP(rel=2)@100", "RBP", "RBP(rel=2)", "nDCG(dcg='exp-log2')@10", "NumRet", "NumRet(rel=1)"]
    path = written(tmp_path / "run.tsv", "".join(f"{topic}\t{name}\t0.5\n" for topic in (1, 2) for name in names))
    assert measures_of("ap-ci", "--table", "estimate", "--scores", path) == names
    asked = rows("ap-ci", "--table", "estimate", "--scores", "-m", "RBP(p=0.8,rel=2)", path)
    assert [row[:3] for row in asked] == [["RBP(p=0.8,rel=2)", "all", "0.5000"]]
