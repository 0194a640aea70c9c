"""doxel's own measures keep the laws of an audit; what they break on purpose is declared, with the reason."""

from __future__ import annotations

from collections import defaultdict

import pytest

from doxel.auditing.auditor import audit_scorer
from doxel.auditing.laws import LAWS
from doxel.auditing.scorers import MeasureScorer
from doxel.measures.measure_parameters import Number
from doxel.measures.measure_table import MEASURES, parse_measure
from random_share import count_cases

pytestmark = pytest.mark.integration

# beside the plain form of each measure: parameters under which it keeps other laws
VARIANTS = ["char_prec(repeats=charged)", "char_iou(repeats=charged)", "token_f1(repeats=charged)", "igP@1"]
WRITTEN = {"BEPD": "BEPD(A=0.1)"}  # measures that need a parameter


def name_forms(measure):
    """Return the measure without a cutoff, if it can do without, and with one."""
    declaration = measure.declaration
    name = WRITTEN.get(declaration.name, declaration.name)
    if declaration.at is None:
        return [name]
    is_rank = isinstance(declaration.at.kind, Number) and declaration.at.kind.whole
    with_cutoff = f"{name}@{2 if is_rank else 0.5}"
    return [name, with_cutoff] if declaration.at_optional else [with_cutoff]


ALL_CASES = 800
CASES = count_cases(ALL_CASES)
FORMS = [form for measure in MEASURES for form in name_forms(measure)] + VARIANTS


@pytest.fixture(scope="module")
def findings(compute_once):
    """The verdict and the counterexample of one audit of all measures, by measure and law."""
    return compute_once("audit", audit_all)


def audit_all():
    groups = defaultdict(list)
    for form in FORMS:
        (measure,) = parse_measure(form)
        groups[measure.declaration.view.audited_as].append(measure)
    return {
        (finding.figure, finding.law.name): (finding.verdict, finding.counterexample)
        for measures in groups.values()
        for finding in audit_scorer(MeasureScorer(measures), cases=CASES, shrink=False).findings
    }


@pytest.mark.parametrize("form", FORMS)
def test_a_measure_breaks_only_the_laws_that_it_declares(findings, form):
    (measure,) = parse_measure(form)
    own_findings = {law.name: findings[measure.name, law.name] for law in LAWS}
    undeclared = {
        law: counterexample for law, (verdict, counterexample) in own_findings.items() if verdict == "broken"
    }
    assert not undeclared, "keep the law, or declare in 'breaks' why the measure breaks it"
    assert sum(verdict != "not tested" for verdict, _ in own_findings.values()) >= 7


BREAKING = sorted({form.partition("@")[0] for form in FORMS if parse_measure(form)[0].list_broken_laws()})


@pytest.mark.parametrize("stem", BREAKING)
def test_a_declared_break_is_a_real_one(findings, stem):
    """Every law that is declared as broken is broken, with a cutoff or without."""
    forms = [parse_measure(form)[0] for form in FORMS if form.partition("@")[0] == stem]
    unbroken = [
        law
        for law in forms[0].list_broken_laws()
        if all(findings[form.name, law][0] != "broken on purpose" for form in forms)
    ]
    if unbroken and CASES < ALL_CASES:
        pytest.skip(f"the few cases of this run do not break {', '.join(unbroken)}; those of all cases do")
    assert unbroken == []
