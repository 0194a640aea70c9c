"""The warnings beside scores: one object with a code, and the checks that run where scores are made."""

import json
import pickle
import warnings

import pytest

from checks.cases import CASES
from doxel import DoxelWarning, evaluate
from doxel.checks.check_declaration import EFFECTS
from doxel.checks.check_table import CHECKS
from doxel.checks.score_checks import SCORE_CHECKS
from doxel.checks.score_warnings import (
    ScoreWarning,
    check_codes,
    find_effect,
    hide_warnings,
    issue_warnings,
    sort_by_gravity,
)
from doxel.errors import InputError, UnscoredRunError

WARNING = ScoreWarning("3 results end late", "R103", run="mine", topics=2)
REFUSAL = ScoreWarning("other ids", "R406", run="other")
NOTE = ScoreWarning("4 assessed topics have no results", "R402", run="mine", topics=4)
GOLD = [("1", "a", 0, 10), ("2", "b", 0, 10)]


class TestScoreWarning:
    def test_it_is_its_sentence_after_the_name_of_the_run(self):
        assert WARNING == "mine: 3 results end late"
        assert WARNING.sentence == "3 results end late"

    def test_as_json_it_is_an_object(self):
        expected = {
            "code": "R103",
            "effect": "guess",
            "run": "mine",
            "topics": 2,
            "sentence": "3 results end late",
        }
        assert json.loads(json.dumps(WARNING.to_dict())) == expected

    @pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
    def test_it_survives_pickling(self, protocol):
        again = pickle.loads(pickle.dumps(WARNING, protocol))  # noqa: S301
        assert type(again) is ScoreWarning
        assert again.to_dict() == WARNING.to_dict()
        assert again == WARNING

    def test_it_follows_the_name_of_its_run(self):
        assert WARNING.name_run("mine:2") == "mine:2: 3 results end late"
        assert WARNING.name_run("mine:2").to_dict() == {**WARNING.to_dict(), "run": "mine:2"}

    def test_a_label_comes_before_the_run(self):
        labelled = WARNING.with_label("alpha=1")
        assert labelled == "alpha=1: mine: 3 results end late"
        assert labelled.code == "R103"

    def test_its_effect_is_that_of_its_check(self):
        assert {check.code: find_effect(check.code) for check in (*CHECKS, *SCORE_CHECKS)} == {
            check.code: check.effect for check in (*CHECKS, *SCORE_CHECKS)
        }
        assert WARNING.effect == "guess"


def test_the_gravest_comes_first():
    assert sort_by_gravity([NOTE, WARNING, REFUSAL]) == [REFUSAL, WARNING, NOTE]
    assert list(EFFECTS) == ["refuse", "guess", "none"]


def test_hidden_codes_are_left_out_but_refusals_stay():
    assert hide_warnings([NOTE, WARNING, REFUSAL, NOTE], {"R402", "R406"}) == (WARNING, REFUSAL)


def test_an_unknown_code_is_an_error():
    with pytest.raises(InputError, match=r"found 'R999'; 'doxel check --codes' lists all codes$"):
        check_codes(["R402", "R999"])


def test_python_warns_once_per_code_and_run():
    with pytest.warns(DoxelWarning) as caught:
        issue_warnings([NOTE, WARNING, ScoreWarning("more", "R103", run="mine"), REFUSAL], level=1)
    assert [(item.message.code, item.message.run) for item in caught] == [("R406", "other"), ("R103", "mine")]
    assert str(caught[1].message) == "mine: 3 results end late"
    assert (caught[1].message.topics, caught[1].message.effect) == (2, "guess")


class TestEvaluate:
    RISING = tuple({"topic": "1", "doc": doc, "score": score} for doc, score in (("x", 0.1), ("a", 0.9)))

    def test_a_guess_is_a_python_warning_at_the_place_of_the_call(self):
        with pytest.warns(DoxelWarning, match="lowest score first") as caught:
            result = evaluate({"mine": list(self.RISING)}, [{"topic": "1", "doc": "a", "grade": 1}], "RR")
        assert caught[0].filename == __file__
        assert (caught[0].message.code, caught[0].message.run) == ("R312", "mine")
        assert [warning.code for warning in result.warnings] == ["R312", "S121", "S122"]
        assert repr(result).splitlines()[1].startswith("R312 mine: 1 topic lists the lowest score first")

    def test_scores_that_rise_along_the_ranks_are_reported(self):
        ranked = [{**result, "rank": rank} for rank, result in enumerate(self.RISING, 1)]
        result = evaluate(ranked, [{"topic": "1", "doc": "a", "grade": 1}], "RR", order="rank")
        assert "R303" in [warning.code for warning in result.warnings]

    def test_a_note_is_not_a_python_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = evaluate([("1", "a", 0, 10)], GOLD, "char_rec")
        assert [(warning.code, warning.topics) for warning in result.warnings] == [("R402", 1)]
        assert repr(result) == "<Evaluation: runs 1, measures 1>"

    def test_a_code_can_be_hidden(self):
        assert evaluate([("1", "a", 0, 10)], GOLD, "char_rec", silence="R402").warnings == ()

    def test_guesses_can_be_refused(self):
        gold = [{"topic": "1", "doc": "a", "grade": 1}]
        with pytest.raises(UnscoredRunError, match="run: no score without guessing: 1 topic lists"):
            evaluate(list(self.RISING), gold, "RR", no_guessing=True)
        runs = {"bad": list(self.RISING), "good": list(self.RISING[1:])}
        result = evaluate(runs, gold, "RR", no_guessing=True, on_error="skip")
        assert result.means["run"].to_list() == ["good"]
        assert [(item.run, item.code) for item in result.rejected] == [("bad", "R312")]
        allowed = evaluate(list(self.RISING), gold, "RR", no_guessing=True, silence=["R312"])
        assert allowed.means["score"].to_list() == [1.0]
        assert [warning.effect for warning in allowed.warnings] == ["none", "none"]

    def test_guesses_about_the_assessments_can_be_refused(self):
        gold, texts = [("1", "a", 0, 99), ("1", "a", 0, 5)], {"a": "0123456789"}
        assert [
            w.code for w in evaluate([("1", "a", 0, 5)], gold, "char_rec", collection=texts).warnings
        ] == ["A103"]
        with pytest.raises(InputError, match=r"no score without guessing: assessments: .* \[A103\]"):
            evaluate([("1", "a", 0, 5)], gold, "char_rec", collection=texts, no_guessing=True)

    def test_worker_processes_return_the_same_warnings(self):
        runs = {f"r{number}": [("1", "a", 0, 10 + number), ("1", "a", 5, 99)] for number in range(4)}
        texts = {"a": "0123456789", "b": "0123456789"}
        alone, together = (
            evaluate(runs, GOLD, "char_rec", collection=texts, jobs=jobs).warnings for jobs in (1, 2)
        )
        assert [warning.to_dict() for warning in alone] == [warning.to_dict() for warning in together]
        assert {warning.code for warning in alone} == {"R103", "R402"}


# texts beside offsets are compared when plain data is read; a cut by a limit depends on the measure
GUESSES = [check.code for check in CHECKS if check.effect == "guess" and check.code[0] in "RA"]
SAID = [code for code in GUESSES if code not in {"R108", "R301"}]


@pytest.mark.parametrize("code", SAID)
def test_a_finding_that_changes_a_score_is_beside_the_score(code, laid_out):
    files = laid_out(CASES[code])
    grades = [{"topic": topic, "doc": doc, "grade": 1} for topic in ("1", "2") for doc in ("a", "b")]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = evaluate(
            files["runs"] or [{"topic": "1", "doc": "a"}],
            [str(path) for path in files["assessments"]] or grades,
            "RR",
            collection=files["collection"],
        )
    assert code in {warning.code for warning in result.warnings}
    assert code in {item.message.code for item in caught if isinstance(item.message, DoxelWarning)}


@pytest.mark.parametrize(("texts", "is_foreign"), [({"other": "x" * 20}, True), ({"a": "x" * 20}, False)])
def test_another_collection_is_suspected_if_it_has_no_judged_document(texts, is_foreign):
    result = evaluate([("1", "a", 0, 5)], GOLD, "char_rec@5", collection=texts)
    (warning,) = [warning for warning in result.warnings if warning.code == "A101" and "judged" in warning]
    assert warning.endswith("is it another collection?") == is_foreign
