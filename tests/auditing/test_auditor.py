"""Audits as a whole: they find faults from nothing but the scorer, and acquit sound scorers."""

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest

import doxel
from auditing import broken_scorers
from doxel.auditing.auditor import audit, audit_scorer
from doxel.auditing.case_files import find_case_format
from doxel.auditing.command_scorer import CommandScorer, compile_figure
from doxel.auditing.laws import LAWS
from doxel.auditing.scorers import Figure, MeasureScorer
from doxel.errors import InputError
from doxel.measures.measure_table import parse_measure
from random_share import count_cases, take_some

BROKEN = Path(broken_scorers.__file__)
CASES = 2000 if count_cases(2000) == 2000 else 100  # all of them in ``make test-integrations``


def find_broken(outcome):
    return {finding.law.name for finding in outcome.broken}


def get_finding(outcome, law):
    (finding,) = (finding for finding in outcome.findings if finding.law.name == law)
    return finding


@pytest.mark.hypothesis  # in make test-integrations with all cases
def test_a_sound_function_is_acquitted():
    outcome = audit(function=broken_scorers.recall, cases=CASES)
    assert outcome.is_acquitted
    assert outcome.cases == CASES
    names = {finding.law.name for finding in outcome.findings if finding.verdict == "kept"}
    assert names == {law.name for law in LAWS} - {"unjudged"}  # lists of spans cannot say what was judged


@pytest.mark.hypothesis  # in make test-integrations with all cases
def test_char_rec_is_acquitted():
    outcome = doxel.audit("char_rec", cases=CASES)
    assert outcome.is_acquitted
    assert outcome.cases == CASES
    assert {finding.verdict for finding in outcome.findings} == {"kept"}


@pytest.mark.hypothesis  # in make test-integrations with all cases
def test_ap_by_pytrec_eval_is_acquitted():
    pytrec_eval = pytest.importorskip("pytrec_eval")

    def average_precision(gold, run):
        scores = pytrec_eval.RelevanceEvaluator(gold, {"map"}).evaluate(run)
        return sum(score["map"] for score in scores.values()) / len(gold)

    outcome = audit(function=average_precision, format="documents", cases=CASES)
    assert outcome.is_acquitted
    assert outcome.cases == CASES
    assert get_finding(outcome, "unanswered").verdict == "kept"


@pytest.mark.parametrize(
    ("name", "laws"),
    take_some(
        [
            ("recall_counting_twice", {"bounds", "repeat"}),
            ("off_by_one", {"touching"}),
            ("first_line_only", {"order"}),
            ("prefers_early_text", {"shifting", "perfect"}),
            ("knows_documents", {"renaming"}),
            ("stops_at_three", {"answers"}),
            ("says_nothing", {"answers"}),
        ],
        3,
    ),
)
def test_a_fault_is_found(name, laws):
    assert find_broken(audit(function=getattr(broken_scorers, name), cases=40)) >= laws


def test_a_scorer_that_ranks_by_names_is_found():
    outcome = audit(function=broken_scorers.average_precision_by_name, format="documents", cases=40)
    assert find_broken(outcome) == {"reversing"}
    counterexample = get_finding(outcome, "reversing").counterexample
    assert len(counterexample.case.results) == 2  # a relevant document and another one


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM")
def test_a_request_to_end_stops_an_audit_in_this_process_and_removes_its_files(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def terminated(gold, run):
        assert list(tmp_path.iterdir())
        os.kill(os.getpid(), signal.SIGTERM)
        return broken_scorers.recall(gold, run)

    with pytest.raises(KeyboardInterrupt):
        audit(function=terminated, cases=30)
    assert list(tmp_path.iterdir()) == []


def test_the_counterexample_is_the_smallest():
    outcome = audit(function=broken_scorers.recall_counting_twice, cases=30)
    counterexample = get_finding(outcome, "bounds").counterexample
    assert [passage[1:] for passage in counterexample.case.gold] == [("d1", 0, 1)]
    assert len(counterexample.changed.results) == 2
    assert (counterexample.before, counterexample.after) == (1.0, 2.0)


@pytest.mark.integration
def test_overlapping_gold_keeps_the_recall_of_chroma_below_1():
    finding = get_finding(audit("chroma_rec", cases=40), "perfect")
    assert finding.verdict == "broken on purpose"
    gold = {passage[1:] for passage in finding.counterexample.changed.gold}
    assert gold == {("d1", 0, 1), ("d1", 0, 2)}
    assert finding.counterexample.after == pytest.approx(2 / 3)


@pytest.mark.integration
def test_junk_raises_the_average_precision_of_bioasq_above_1():
    outcome = audit("snip_AP", compat="bioasq", cases=30)
    assert {"bounds", "junk"} <= find_broken(outcome)
    counterexample = get_finding(outcome, "bounds").counterexample
    assert [passage[1:] for passage in counterexample.case.gold] == [("d1", 0, 1)]
    assert (counterexample.before, counterexample.after) == (1.0, 1.5)  # 1/1 + 1/2, over one gold snippet


def test_a_law_for_one_kind_is_not_held_against_a_figure_of_unknown_kind():
    def audit_kind(*kinds):
        return audit(function=broken_scorers.answered_only, kind=kinds, cases=30, shrink=False)

    outcome = audit_kind()
    assert outcome.is_acquitted
    assert get_finding(outcome, "unanswered").verdict == "not kept"
    assert find_broken(audit_kind("mean")) == {"unanswered"}
    finding = get_finding(audit_kind("text"), "unanswered")
    assert (finding.verdict, finding.note.startswith("only required of kind mean")) == ("not tested", True)


def test_lower_may_be_better():
    def missed(gold, run):
        return 1 - broken_scorers.recall(gold, run)

    assert audit(function=missed, lower_is_better=True, cases=30, shrink=False).is_acquitted
    assert find_broken(audit(function=missed, cases=30, shrink=False)) >= {"perfect", "best"}


def test_bounds_can_be_given():
    def percent(gold, run):
        return 100 * broken_scorers.recall(gold, run)

    assert audit(function=percent, bounds=(0, 100), cases=30).is_acquitted
    assert "bounds" in find_broken(audit(function=percent, cases=20))


def test_a_function_that_hangs_is_given_up_with_its_case():
    outcome = audit(function=broken_scorers.hangs_at_three, cases=500, timeout=0.05)
    finding = get_finding(outcome, "answers")
    assert finding.counterexample.failure.kind == "hangs"
    assert max(len(finding.counterexample.case.list_results(topic)) for topic in "12") > 2
    assert outcome.cases < 500


def test_the_same_seed_gives_the_same_findings():
    first, second = (audit(function=broken_scorers.off_by_one, cases=30, seed=3) for _ in range(2))
    assert first.findings == second.findings


@pytest.mark.usefixtures("own_table")
@pytest.mark.integration
def test_a_measure_of_ones_own_is_audited_by_its_address(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import doxel\n\n\n@doxel.measure\ndef longest(results, gold):\n"
        '    """Relevant characters of the longest list, never fewer than one."""\n'
        "    return max(1, results.relevant.sum()) / gold.total\n"
    )
    outcome = audit(f"{path}:longest", cases=30)
    assert "repeat" in find_broken(outcome)
    assert get_finding(outcome, "splitting").verdict == "kept"


def test_measures_of_different_shapes_are_audited_together():
    outcome = audit(["char_prec", "AP"], cases=30)
    assert outcome.figures == ["char_prec", "AP"]
    assert len(outcome.findings) == 2 * len(LAWS)


def audit_command(name, **options):
    return audit(
        command=f"{sys.executable} {BROKEN} {name} {{gold}} {{run}}", figure="figure: ([0-9.]+)", **options
    )


@pytest.mark.integration
def test_a_command_gets_as_many_cases_as_its_time_allows():
    outcome = audit_command("recall", seconds=2.0)
    assert outcome.is_acquitted
    assert outcome.cases < 2000
    assert outcome.seconds == 2.0


@pytest.mark.parametrize(
    ("name", "law", "cases"),
    take_some(
        [
            ("recall_counting_twice", "bounds", 1),
            ("off_by_one", "touching", 1),
            ("reciprocal_rank_by_line", "order", 6),
        ],
        1,
    ),
)
def test_the_fault_of_a_command_is_found(name, law, cases):
    command = f"{sys.executable} {BROKEN} {name} {{gold}} {{run}}"
    figures = {"figure": (compile_figure("figure: ([0-9.]+)"), Figure("figure"))}
    scorer = CommandScorer(command, find_case_format("jsonl"), figures, timeout=600.0)
    outcome = audit_scorer(scorer, cases=cases, shrink=False)
    assert law in find_broken(outcome)
    assert outcome.cases == cases


@pytest.mark.integration
def test_the_fault_of_bioasq_is_found_from_nothing_but_the_command():
    command = f"{sys.executable} -m doxel evaluate -a {{gold}} --compat bioasq -m bioasq9 -f tsv {{run}}"
    figures = {"MAP": (compile_figure(r"snip_AP\t([0-9.]+)"), Figure("MAP"))}
    scorer = CommandScorer(command, find_case_format("bioasq"), figures, timeout=600.0)
    assert find_broken(audit_scorer(scorer, cases=1, shrink=False)) >= {"bounds", "junk", "touching"}


@pytest.mark.parametrize(("name", "kind"), [("sleeps", "hangs"), ("no_such_scorer", "crashes")])
@pytest.mark.integration
def test_a_command_that_never_answers_is_given_up(name, kind):
    outcome = audit_command(name, timeout=0.5 if kind == "hangs" else 600.0)
    failure = get_finding(outcome, "answers").counterexample.failure
    assert failure.kind == kind
    assert outcome.cases < 10
    assert get_finding(outcome, "bounds").verdict == "not tested"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "wanted measures, a command or a function, found none or several"),
        ({"measures": "char_rec", "function": len}, "found none or several"),
        ({"measures": "char_rec", "figure": "(.)"}, "in the output of a command: wanted --command"),
        ({"command": "true {gold} {run}"}, "a command prints its figures: wanted --figure"),
        ({"measures": "char_rec", "kind": "speed"}, "kind: wanted text, recall, mean, found 'speed'"),
        ({"measures": "char_rec", "cases": 0}, "cases: wanted a number from 1"),
        ({"measures": "char_rec", "timeout": 0.0}, "timeout: wanted a number above 0"),
        ({"measures": "char_rec", "bounds": (1.0, 0.0)}, "bounds: wanted the lowest and the highest score"),
        ({"measures": []}, "wanted the name of a measure, found none"),
        ({"function": "scorer.py"}, "wanted FILE.py:NAME"),
    ],
)
def test_a_wrong_call_is_explained(arguments, message):
    with pytest.raises(InputError, match=message):
        audit(**arguments)


@pytest.mark.integration
def test_without_shrinking_the_first_counterexample_stays():
    scorer = MeasureScorer(parse_measure("chroma_rec"))
    plain = get_finding(audit_scorer(scorer, cases=40, shrink=False), "perfect").counterexample
    small = get_finding(audit_scorer(scorer, cases=40), "perfect").counterexample
    assert small.case.size <= plain.case.size
