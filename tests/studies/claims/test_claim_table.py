"""The table of claims: complete, and written alike."""

from __future__ import annotations

import re

import pytest

from doxel.studies.claims.claim_table import CLAIMS

NAMES = [claim.name for claim in CLAIMS]


def test_names_are_unique_and_begin_with_the_source():
    assert len(set(NAMES)) == len(NAMES)
    for claim in CLAIMS:
        assert claim.source.startswith(f"source {claim.name[:3]}, "), claim.name


def test_every_source_has_claims():
    assert {name[:3] for name in NAMES} == {"000", "001", "002", "003", "004"}


@pytest.mark.parametrize("claim", CLAIMS, ids=NAMES)
def test_a_claim_has_a_sentence_a_criterion_and_needs(claim):
    assert re.match(r"\w.*\.$", claim.sentence)
    assert claim.criterion.words
    assert not claim.criterion.words.endswith(".")
    assert claim.criterion.needs


def test_the_findings_that_the_papers_stress_are_there():
    required = {
        "001-high-A",
        "001-low-A",
        "002-differ-power",
        "002-differ-ratio",
        "004-target-support",
        "004-gen5-genlifted",
        "004-fewer-grades",
        "004-MAep-iMAep",
        *(f"003-observation-{number}-{measure}" for number in range(1, 5) for measure in ("ERR", "GRP")),
    }
    assert required <= set(NAMES)
