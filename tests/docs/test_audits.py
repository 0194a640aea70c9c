"""The page about scorers shows the findings of the audits."""

import pytest
from pagemaker import audits


@pytest.mark.integration
def test_the_page_about_scorers_is_not_stale():
    page = audits.AUDIT_PAGE.read_text("utf-8")
    assert page == audits.audit_page(), (
        "which-scorer.md is stale: run 'make docs', and look at what has changed"
    )


@pytest.mark.integration
def test_the_verdicts_on_scorers_are_not_stale():
    assert audits.list_verdicts() in audits.AUDIT_PAGE.read_text("utf-8"), (
        "which-scorer.md is stale: run 'make docs'"
    )


def test_the_page_convicts_the_broken_scorers_and_acquits_the_sound_ones():
    rows = [
        line.split(" | ")
        for line in audits.AUDIT_PAGE.read_text("utf-8").splitlines()
        if line.startswith("| ")
    ]
    verdicts = {row[1].replace("\\", ""): row[2] for row in rows if len(row) == 3}
    assert "bounds" in verdicts["snip_AP"]
    assert "perfect" in verdicts["chroma_rec"]
    for name in ("char_rec", "char_prec", "char_iou", "char_f1", "span_rec", "MAiP"):
        assert verdicts[name].startswith("none"), name
