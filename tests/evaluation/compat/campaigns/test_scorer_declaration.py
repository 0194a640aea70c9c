"""Scorers of campaigns are declared with all that documentation and commands need."""

import pytest

from doxel.evaluation.compat.campaigns.campaign_scorers import CAMPAIGN_SCORERS, CAMPAIGN_SETS
from doxel.evaluation.compat.campaigns.scorer_declaration import refuse_format
from doxel.runs import RESULTS, Run


@pytest.mark.parametrize("scorer", CAMPAIGN_SCORERS, ids=lambda scorer: scorer.name)
def test_a_scorer_has_sets_and_a_program_with_faults_lists_them(scorer):
    assert scorer.sets
    assert all(figures for figures in scorer.sets.values())
    assert bool(scorer.faults) >= scorer.compat
    assert all(fault.endswith(".") for fault in scorer.faults)


def test_a_set_belongs_to_one_scorer():
    assert len(CAMPAIGN_SETS) == sum(len(scorer.sets) for scorer in CAMPAIGN_SCORERS)


def test_a_run_of_another_format_is_refused_with_its_format():
    error = refuse_format("locomo", Run("r", RESULTS.empty(), file="a.run", format="trec"), "a LoCoMo file")
    assert str(error) == (
        "a.run: the figures of locomo need the campaign's own file: wanted a LoCoMo file, found format trec"
    )
