"""Every code has a case that triggers it in the right lines, and triggers no other code."""

from pathlib import Path

import pytest

from checks.cases import CASES, QRELS, SOUND, Case
from doxel.checks.check_declaration import EFFECTS, SEVERITIES
from doxel.checks.check_table import CHECKS, KINDS, render_check_page
from doxel.checks.checker import check_inputs
from doxel.checks.score_checks import SCORE_CHECKS

ROOT = Path(__file__).resolve().parents[2]


def checked(options):
    runs = options.pop("runs")
    return check_inputs(runs, **{name: value or None for name, value in options.items()})


@pytest.mark.parametrize("code", CASES)
def test_a_case_triggers_its_code_and_no_other_in_its_file(code, laid_out):
    case = CASES[code]
    options = laid_out(case)
    names = {str(path) for kind in ("runs", "assessments", "topics") for path in options[kind]}
    names |= {str(options["collection"])} if code == "C001" else set()
    report = checked(options)
    assert report.codes == [code]
    assert set(report.findings["file"]) <= names
    assert report.findings["line"].to_list() == case.lines
    assert report.findings["message"].null_count() == 0
    expected = next(declared.severity for declared in CHECKS if declared.code == code)
    assert report.count(expected) == len(case.lines)
    assert report.has_errors == (expected == "error")


def test_every_code_has_a_case():
    assert list(CASES) == [declared.code for declared in CHECKS]


def test_sound_files_have_no_findings(laid_out):
    case = Case([], {"a.xml": SOUND}, {"q": QRELS}, {"t.tsv": "1\ttrees\n"}, collection=True)
    report = checked(laid_out(case))
    assert report.findings.height == 0
    assert not report.has_errors
    assert report.notes == ()


@pytest.mark.parametrize("declared", [*CHECKS, *SCORE_CHECKS], ids=lambda declared: declared.code)
def test_declarations_are_complete(declared):
    assert declared.code[0] in KINDS
    assert declared.code[1:].isdigit()
    assert declared.severity in SEVERITIES
    assert declared.effect in EFFECTS
    assert declared.title[0].islower()
    assert not declared.title.endswith(".")
    assert declared.explanation.endswith(".")
    assert declared.mend.endswith(".")


def test_codes_are_unique_and_in_order():
    codes = [declared.code for declared in (*CHECKS, *SCORE_CHECKS)]
    assert len(set(codes)) == len(codes)
    for letter in KINDS:
        group = [code for code in codes if code.startswith(letter)]
        assert group == sorted(group)
        assert group


def test_the_documentation_page_is_up_to_date():
    """If this fails, write the result of ``render_check_page()`` to docs/checks.md."""
    assert (ROOT / "docs" / "checks.md").read_text(encoding="utf-8") == render_check_page()


def test_the_page_explains_every_code():
    for declared in (*CHECKS, *SCORE_CHECKS):
        heading = (
            f"### {declared.code}\n\n**{declared.title}** ({declared.severity}; effect: {declared.effect})"
        )
        assert f"{heading}\n\n{declared.explanation}\n" in render_check_page()
