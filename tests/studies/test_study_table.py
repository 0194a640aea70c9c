"""The table of studies: each has findings, and the same figures with the same seed."""

from __future__ import annotations

import pytest

from doxel.studies import STUDIES
from random_share import take_some

# some of the many claims and cuts: the pages of the studies show all of them
FEW = {"claims": {"claims": ["001"]}, "holes": {"shares": [0.5], "trials": 1}}


@pytest.mark.parametrize(
    "study",
    [pytest.param(study, marks=pytest.mark.integration) if study.name in FEW else study for study in STUDIES],
    ids=lambda study: study.name,
)
def test_every_study_has_findings_and_can_be_reported(study, ask):
    from doxel.reports.study_pictures import build_study_pictures

    result = ask(study.name)
    assert result.findings
    assert all(sentence.endswith(".") for sentence in result.findings)
    names = [panel.name for panel in result.panels]
    assert len(set(names)) == len(names)
    assert result.panels[0].table.height
    assert build_study_pictures(result)
    assert result.rejected == ()


@pytest.mark.parametrize("study", take_some(STUDIES, 3), ids=lambda study: study.name)
def test_the_same_seed_gives_the_same_figures(study, ask):
    options = FEW.get(study.name, {})
    first, second = ask(study.name, **options), ask(study.name, again=True, **options)
    for panel, same_panel in zip(first.panels, second.panels, strict=True):
        assert panel.frame.equals(same_panel.frame), panel.name
