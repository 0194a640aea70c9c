"""The table that a notebook shows for an evaluation."""

from __future__ import annotations

import polars as pl
import pytest
from lxml import html as lxml_html

from browser import opened
from doxel.checks.score_warnings import ScoreWarning
from doxel.chunking import compare_chunkings
from doxel.evaluation import Evaluation, evaluate
from doxel.evaluation.analysis.run_comparison import compute_mean_intervals
from doxel.evaluation.evaluation_result import Rejection
from doxel.notebook.result_html import escape_html, render_result

HOSTILE = "<script>alert('1')</script>&\x1b\""


def result_of(**scores):
    """Return an evaluation: the scores of topics by run, under one measure."""
    rows = [
        {"run": run, "topic": str(number), "measure": "char_rec@5", "score": score}
        for run, values in scores.items()
        for number, score in enumerate(values)
    ]
    return Evaluation(pl.DataFrame(rows))


def page_of(result):
    return lxml_html.fragment_fromstring(result._repr_html_())


def test_means_have_intervals_and_the_best_is_marked():
    result = result_of(weak=[0.1, 0.3, 0.2], strong=[0.9, 0.7, 0.8])
    page = page_of(result)
    rows = {row.findtext("th"): row for row in page.iterfind(".//tbody/tr")}
    assert rows["strong"].findtext(".//span[@class='best']") == "0.8000"
    assert rows["weak"].find(".//span[@class='best']") is None
    low, high = compute_mean_intervals(result.scores).row(0)[2:]
    assert f"0.2000 [{low:.4f}, {high:.4f}]" in rows["weak"].text_content()
    assert "means over 3 topics, 95% percentile bootstrap intervals" in page.text_content()


def test_lower_is_better_for_some_measures_and_large_numbers_are_short():
    rows = {"run": ["a", "b"], "topic": "1", "measure": "read(recall=0.5)", "score": [12345.678, 20.0]}
    page = page_of(Evaluation(pl.DataFrame(rows)))
    assert [best.text for best in page.iterfind(".//span[@class='best']")] == ["20.0"]
    assert "12,345.7" in page.text_content()
    assert "lower is better" in page.findtext(".//thead//small")


def test_a_mean_over_fewer_topics_is_not_the_best():
    page = page_of(result_of(all_topics=[0.5, 0.4], easy_topic=[0.9, float("nan")]))
    (best,) = page.iterfind(".//span[@class='best']")
    assert best.text == "0.4500"
    assert "means over 1 to 2 topics" in page.text_content()


def test_means_over_different_topics_have_no_best():
    page = page_of(result_of(first=[0.5, float("inf")], second=[float("inf"), 0.9]))
    assert page.find(".//span[@class='best']") is None


def test_a_single_run_is_not_the_best_of_all():
    assert page_of(result_of(alone=[0.5])).find(".//span[@class='best']") is None


def test_rejections_and_warnings_are_listed_the_gravest_first():
    result = Evaluation(
        result_of(a=[0.5]).scores,
        rejected=(Rejection("b", "MAiP", "it overlaps"), Rejection("c", "all", "no such file")),
        warnings=(ScoreWarning("a note", "S102"), ScoreWarning("a guess", "R103", run="a")),
    )
    items = [item.text_content() for item in page_of(result).iterfind(".//li")]
    assert items == [
        "b: no score by MAiP: it overlaps",
        "c: skipped: no such file",
        "a: a guess R103",
        "a note S102",
    ]


def test_many_runs_and_warnings_are_cut_with_their_number():
    result = Evaluation(
        result_of(**{f"run{number}": [0.5] for number in range(65)}).scores,
        warnings=tuple(ScoreWarning(f"note {number}", "S102") for number in range(25)),
    )
    text = page_of(result).text_content()
    assert "... and 5 more runs" in text
    assert "... and 5 more" in text
    assert len(page_of(result).findall(".//tbody/tr")) == 60


def test_runs_of_several_tasks_have_a_table_each():
    result = Evaluation(result_of(a=[0.5], b=[0.6]).scores, tasks={"a": "thorough", "b": "focused"})
    page = page_of(result)
    assert len(page.findall(".//table")) == 2
    assert [strong.text for strong in page.iterfind("./p/strong")] == ["thorough", "focused"]


def test_names_and_sentences_are_escaped():
    gold = [("1", "a", 0, 10), (f"2{HOSTILE}", "a", 0, 10)]
    result = evaluate({HOSTILE: [("1", "a", 0, 5)]}, gold, "char_rec@5")
    page = page_of(result)
    assert page.find(".//script") is None
    assert page.findtext(".//tbody/tr/th") == "<script>alert('1')</script>&\\x1b\""
    assert escape_html('"') == "&quot;"


def test_without_scores_the_reasons_remain():
    page = page_of(Evaluation(result_of(a=[0.5]).scores.clear(), rejected=(Rejection("a", "all", "empty"),)))
    assert "no scores" in page.text_content()
    assert "a: skipped: empty" in page.text_content()


def test_figures_of_other_tools_have_no_interval():
    scores = result_of(a=[0.5]).scores
    overall = scores.drop("topic")
    assert "<small>[" not in render_result(Evaluation(scores, overall=overall))


@pytest.mark.parametrize("colour", ["#fff", ": white", ": black", "#000"])
def test_the_style_suits_light_and_dark_notebooks(colour):
    assert colour not in result_of(a=[0.5])._repr_html_().partition("</style>")[0]


def test_a_comparison_of_chunkings_is_a_table_with_its_maxima_underlined():
    texts = {"a": "One two three four. " * 5}
    chunkings = {HOSTILE: "characters:20", "overlapping": "characters:50:25"}
    comparison = compare_chunkings(texts, [("1", "a", 0, 30)], chunkings, cutoff=1)
    page = page_of(comparison)
    assert [head.text for head in page.iterfind(".//thead//th")] == comparison.table.columns
    rows = {row.findtext("th"): row for row in page.iterfind(".//tbody/tr")}
    assert len(rows) == 2
    assert page.find(".//script") is None
    by_name = dict(zip(comparison.table.columns[1:], rows["overlapping"].iterfind("td"), strict=True))
    assert by_name["chunks"].text == f"{comparison.table['chunks'][1]}"
    assert by_name["omega_rec"].findtext("u") == f"{comparison.table['omega_rec'][1]:.4f}"
    assert by_name["greedy_rec@1"].find("u") is None  # the chunks overlap: a ranking may exceed it
    disjoint = next(row for name, row in rows.items() if name != "overlapping")
    assert len(disjoint.findall(".//u")) == 2
    assert "1 topic, 30 gold characters per topic" in page.text_content()


def test_residuals_are_a_number_and_a_bar_and_assessors_a_range():
    gold, other = [("1", "d", 0, 100)], [("1", "d", 0, 25)]
    run = {"mine": [("1", "d", 0, 50), ("1", "z", 0, 50)]}
    result = evaluate(run, gold, ["char_prec", "judged_chars"], residual=True, assessors=[other])
    page = page_of(result)
    prec, judged = page.iterfind(".//tbody/tr/td")
    assert [bar.get("style") for bar in prec.iterfind(".//span[@class='bar']/i")] == ["width: 50.0%"] * 2
    assert "+0.5000" in prec.text_content()
    assert "assessors: 0.2500 to 0.5000" in prec.text_content()
    assert judged.find(".//span[@class='bar']") is None
    assert "how far the mean would move if unjudged text were relevant" in page.text_content()


def test_the_bar_of_a_residual_starts_at_the_left_and_its_parts_are_in_a_row(chromium, tmp_path):
    run = {"mine": [("1", "d", 0, 20), ("1", "z", 0, 80)]}
    result = evaluate(run, [("1", "d", 0, 100)], "char_prec@1,2", residual=True)
    (tmp_path / "result.html").write_text(result._repr_html_(), "utf-8")
    with opened(chromium, tmp_path / "result.html") as browser:
        bar = browser.page.query_selector("td:last-child .bar")
        around, dark, light = (node.bounding_box() for node in (bar, *bar.query_selector_all("i")))
    assert dark["x"] == pytest.approx(around["x"], abs=1)
    assert dark["width"] == pytest.approx(0.2 * around["width"], abs=1)
    assert light["x"] == pytest.approx(dark["x"] + dark["width"], abs=1)
    assert light["y"] == pytest.approx(dark["y"], abs=1)


def test_a_residual_outside_0_to_1_has_no_bar():
    run = {"mine": [("1", "d", 0, 100), ("1", "z", 0, 100)]}
    page = page_of(evaluate(run, [("1", "d", 0, 100)], "read", residual=True))
    assert page.find(".//span[@class='bar']") is None
    assert "+90.0000" in page.text_content()
