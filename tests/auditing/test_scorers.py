"""Functions and doxel's own measures on trial."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from auditing import broken_scorers
from doxel.auditing.audit_cases import AuditCase, Passage
from doxel.auditing.scorers import (
    CampaignFigures,
    Failure,
    Figure,
    FunctionScorer,
    MeasureScorer,
    build_arguments,
)
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.measures.measure_table import parse_measure

GOLD = (Passage("1", "d1", 0, 3), Passage("2", "d2", 3, 6))
RESULTS = (Passage("1", "d3", 0, 2), Passage("1", "d1", 1, 4), Passage("2", "d2", 0, 9))
CASE = AuditCase(GOLD, RESULTS)


def build(function, form="spans", *, timeout=5.0, address=""):
    return FunctionScorer(function, address, form, Figure("figure"), timeout=timeout)


def test_functions_of_spans_get_lists_by_topic():
    assert build_arguments(CASE) == (
        {"1": [("d1", 0, 3)], "2": [("d2", 3, 6)]},
        {"1": [("d3", 0, 2), ("d1", 1, 4)], "2": [("d2", 0, 9)]},
    )
    assert build(broken_scorers.recall).score([CASE]) == [{"figure": pytest.approx((2 / 3 + 1) / 2)}]


def test_functions_of_documents_get_grades_and_scores_by_document():
    case = AuditCase(GOLD, RESULTS, judged=(("1", "d3"),), shape="documents")
    assert build_arguments(case) == (
        {"1": {"d1": 1, "d3": 0}, "2": {"d2": 1}},
        {"1": {"d3": 99.0, "d1": 98.0}, "2": {"d2": 99.0}},
    )


def test_shuffled_arguments_hold_the_same_in_another_order():
    gold = tuple(Passage("1", "d1", place, place + 1) for place in range(5))
    plain, shuffled = (build_arguments(AuditCase(gold, RESULTS, shuffle=shuffle)) for shuffle in (0, 2))
    assert plain[0]["1"] != shuffled[0]["1"]
    assert sorted(plain[0]["1"]) == sorted(shuffled[0]["1"])
    assert plain[1] == shuffled[1]


def test_a_topic_without_results_is_not_in_the_run():
    assert list(build_arguments(AuditCase(GOLD, RESULTS[:2]))[1]) == ["1"]


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (broken_scorers.stops_at_three, "crashes", "KeyError: 'no room for a third result'"),
        (broken_scorers.hangs_at_three, "hangs", "no answer within 0.2 seconds"),
        (broken_scorers.says_nothing, "prints no figure", "returned None instead of a number"),
    ],
)
def test_a_function_that_fails_is_reported(function, kind, message):
    three = tuple(Passage("1", "d3", place, place + 1) for place in range(3))
    (outcome,) = build(function, timeout=0.2).score([AuditCase(GOLD[:1], three)])
    assert isinstance(outcome, Failure)
    assert outcome.kind == kind
    assert message in outcome.message


def test_a_form_that_functions_do_not_get_is_refused():
    with pytest.raises(InputError, match="wanted spans or documents for a function, found 'trec'"):
        build(broken_scorers.recall, "trec")


def test_a_function_of_a_file_can_be_called_again(tmp_path):
    path = Path(broken_scorers.__file__)
    line = build(broken_scorers.recall, address=f"{path}:recall").write_case(
        CASE, tmp_path, tmp_path, "", "figure"
    )
    program, *words = line.split()
    assert program == "python"
    output = subprocess.run([sys.executable, *words], capture_output=True, check=True, text=True)
    assert float(output.stdout) == pytest.approx(5 / 6)


def test_the_arguments_of_another_function_are_written(tmp_path):
    line = build(broken_scorers.recall).write_case(CASE, tmp_path, tmp_path, "-after", "figure")
    assert line == f"the arguments are in {tmp_path}/case-after.json"
    assert json.loads((tmp_path / "case-after.json").read_text())["gold"] == {
        "1": [["d1", 0, 3]],
        "2": [["d2", 3, 6]],
    }


def score(names, cases):
    scorer = MeasureScorer(parse_measure(names))
    with scorer.open():
        return scorer.score(cases)


def test_measures_score_many_cases_at_once_like_one_by_one():
    cases = [CASE, AuditCase(GOLD, RESULTS[:2]), AuditCase(GOLD[:1], RESULTS[1:2])]
    names = "char_rec, char_prec@1, omega_iou, token_rec"
    together = score(names, cases)
    assert together == [score(names, [case])[0] for case in cases]
    # characters by hand: 2 of 3 and 2 of 2; 2 of 3 and nothing; 2 of 3
    assert [outcome["char_rec"] for outcome in together] == pytest.approx([5 / 6, 1 / 3, 2 / 3])


def test_scores_are_those_of_evaluate():
    rows = [tuple(passage) for passage in GOLD]
    result = evaluate([tuple(result) for result in RESULTS], rows, ["char_iou", "MAiP"], on_invalid="repair")
    means = dict(result.means.select("measure", "score").iter_rows())
    assert score("char_iou, MAiP", [CASE])[0] == pytest.approx(means)


@pytest.mark.parametrize(
    ("names", "shape", "expected"),
    [
        ("AP", "documents", {"AP": 0.75}),  # the second document of two for topic 1, the only one for topic 2
        ("inex_eval", "elements", {"inex_eval": 1.0}),
        ("fetch_MAep", "articles", {"fetch_MAep": 1.0}),
        ("BEPD(A=0.1)", "points", {"BEPD(A=0.1)": 1.0}),
    ],
)
def test_each_shape_of_cases_has_its_measures(names, shape, expected):
    results = RESULTS if shape == "documents" else GOLD
    places = [Passage(*passage[:2], 0, 1) for passage in GOLD] if shape != "points" else GOLD
    answers = [Passage(*passage[:2], 0, 1) for passage in results] if shape != "points" else GOLD
    case = AuditCase(tuple(places), tuple(answers), shape=shape)
    assert MeasureScorer(parse_measure(names)).shape == shape
    assert score(names, [case]) == [pytest.approx(expected)]


@pytest.mark.parametrize("name", ["char_rec", "token_rec"])
@pytest.mark.integration
def test_the_command_line_of_doxel_gives_the_same_score(name, tmp_path):
    case = AuditCase(GOLD[1:], RESULTS[2:])
    scorer = MeasureScorer(parse_measure(f"{name}, char_prec"))
    line = scorer.write_case(case, tmp_path, tmp_path, "", name)
    for part in line.split(" && "):
        words = [sys.executable, "-m", *part.split(), *(["-f", "tsv"] if "evaluate" in part else [])]
        output = subprocess.run(words, capture_output=True, check=True, text=True)
    assert output.stdout.splitlines()[-1].split("\t")[2:] == [name, "1.0"]


def test_the_figures_of_a_campaign_are_those_of_its_program():
    # gold 0 to 2 inclusive; the exact snippet and a junk one of two characters in the same document:
    # precision 3/3 at the first, 3/5 at the second, over one gold snippet
    gold, junk = Passage("1", "d1", 0, 2), Passage("1", "d1", 30, 31)
    scorer = CampaignFigures("bioasq", ["bioasq9", "snip_AP"])
    assert [figure.name for figure in scorer.figures] == ["snip_AP"]
    assert scorer.untested == ("unjudged",)
    assert scorer.score([AuditCase((gold,), (gold, junk))]) == [{"snip_AP": pytest.approx(1.6)}]


def test_all_figures_of_the_newest_set_are_the_default():
    assert len(CampaignFigures("bioasq", []).figures) == 10
    assert "touching" in CampaignFigures("genomics", ["genomics_document"]).figures[0].exempt


@pytest.mark.parametrize(
    ("compat", "request_names", "message"),
    [
        ("trec", [], "compat: wanted bioasq or genomics"),
        ("bioasq", ["MAP"], "the figures of bioasq9: wanted doc_P"),
    ],
)
def test_figures_that_a_campaign_does_not_have_are_refused(compat, request_names, message):
    with pytest.raises(InputError, match=message):
        CampaignFigures(compat, request_names)


def test_the_command_line_of_a_campaign_gives_the_same_figure(tmp_path):
    gold, junk = Passage("1", "d1", 0, 2), Passage("1", "d1", 30, 31)
    line = CampaignFigures("bioasq", ["snip_AP"]).write_case(
        AuditCase((gold,), (gold, junk)), tmp_path, tmp_path, "", "snip_AP"
    )
    words = [sys.executable, "-m", *line.split(), "-f", "tsv"]
    output = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    (row,) = (row for row in output.splitlines() if "snip_AP" in row)
    assert float(row.split("\t")[-1]) == pytest.approx(1.6)
