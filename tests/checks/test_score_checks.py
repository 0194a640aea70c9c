"""The checks that only scoring can make: their codes, severities and effects."""

from doxel.checks.check_declaration import EFFECTS, SEVERITIES
from doxel.checks.score_checks import LACKING_DATA, SCORE_CHECKS


def test_the_codes_begin_with_s_and_follow_each_other():
    assert [check.code for check in SCORE_CHECKS] == [f"S{101 + place}" for place in range(len(SCORE_CHECKS))]


def test_a_note_has_no_effect_on_scores_and_an_error_refuses_them():
    for check in SCORE_CHECKS:
        assert check.severity in SEVERITIES
        assert check.effect in EFFECTS
        assert (check.severity == "note") == (check.effect == "none")
        assert (check.severity == "error") == (check.effect == "refuse")


def test_a_measure_without_its_data_is_refused():
    (check,) = [check for check in SCORE_CHECKS if check.code == LACKING_DATA]
    assert check.effect == "refuse"
