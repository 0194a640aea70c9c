"""The verdict of a gate as Markdown and as data for JSON."""

from __future__ import annotations

import json

import polars as pl
import pytest
from markdown_it import MarkdownIt

from doxel.evaluation.analysis.regression_gate import GateCheck, GateSettings, GateVerdict
from doxel.reports.gate_summary import describe_verdict, render_gate_markdown, tabulate_checks


def check_of(losses, *, measure="char_rec@5", least_loss=0.1, failures=()):
    topics = pl.DataFrame(
        {
            "topic": [f"q{number}" for number in range(len(losses))],
            "baseline": [1.0] * len(losses),
            "score": [1.0 - loss for loss in losses],
            "loss": [float(loss) for loss in losses],
        }
    )
    mean = float(topics["score"].mean())
    return GateCheck(measure, mean, 1.0, 1 - mean, least_loss, 0.95, topics, failures)


def verdict_of(*checks, **fields):
    return GateVerdict("mine", GateSettings(), "mine", tuple(checks), **fields)


def test_markdown_is_a_table_that_markdown_reads():
    hostile = "<script>alert(1)</script> | *pipes* [a](javascript:x)\nand `lines`"
    verdict = verdict_of(
        check_of([0.5, 0, -0.25], failures=("char_rec@5: fell",)), titles={"q0": hostile}, notes=("a | note",)
    )
    text = render_gate_markdown(verdict)
    page = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert text.startswith("### Retrieval gate: ❌ failed\n")
    assert page.count("<table>") == 2
    assert "<script>" not in page
    assert "<a href" not in page
    assert "<em>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; | *pipes* [a](javascript:x) and `lines`" in page
    assert "<details><summary>1 topic worse by char\\_rec@5</summary>" in text
    assert "<li>char_rec@5: fell</li>" in page


def test_markdown_shows_the_first_broken_topics_and_counts_the_others():
    text = render_gate_markdown(verdict_of(check_of([0.5] * 30)))
    assert text.count("| q") == 20
    assert "... and 10 more topics" in text
    assert "| text |" not in text


def test_markdown_without_a_comparison_gives_the_reason():
    text = render_gate_markdown(verdict_of(obstacles=("the documents are not those of the baseline",)))
    assert (
        text == "### Retrieval gate: ⚠️ cannot be compared\n\n- the documents are not those of the baseline\n"
    )


def test_a_passing_gate_has_a_table_and_no_list_of_topics():
    text = render_gate_markdown(verdict_of(check_of([0, -0.5])))
    assert text.startswith("### Retrieval gate: ✅ passed\n")
    assert "<details>" not in text


@pytest.mark.parametrize(
    ("measure", "least_loss", "limit"),
    [
        ("char_rec@5", 0.1, -0.1),
        ("char_rec@5", -0.05, 0.05),
        ("read(recall=0.5)", 0.1, 0.1),
        ("char_rec@5", float("-inf"), None),
    ],
)
def test_the_limit_is_the_end_of_the_interval_of_the_change(measure, least_loss, limit):
    check = check_of([0.5, 0.0, -0.1], measure=measure, least_loss=least_loss)
    header, (row,) = tabulate_checks(verdict_of(check))
    cells = dict(zip(header, row, strict=True))
    assert cells["limit"] == limit
    assert [cells[name] for name in ("worse", "same", "better")] == [1, 1, 1]


def test_json_has_every_broken_topic_and_no_infinity():
    verdict = verdict_of(check_of([0.5] * 30, least_loss=float("-inf")), titles={"q3": "why?"})
    content = json.loads(json.dumps(describe_verdict(verdict), allow_nan=False))
    assert content["status"] == "pass"
    assert len(content["measures"][0]["broken"]) == 30
    assert content["measures"][0]["broken"][3] == {
        "topic": "q3",
        "baseline": 1.0,
        "score": 0.5,
        "loss": 0.5,
        "text": "why?",
    }
    assert content["measures"][0]["limit"] is None
    assert content["measures"][0]["topics"] == 30
    assert content["measures"][0]["outcome"] == "pass"
    assert content["settings"] == {"minimum": None, "max_drop": 0.0, "level": 0.95}
