"""A page with a campaign of full size: a hundred runs, 120 topics."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from browser import opened, settle
from doxel.assessments.assessments import JUDGED, Assessments
from doxel.evaluation.analysis.findings import Findings, ReportSettings
from doxel.evaluation.evaluation_result import Evaluation
from doxel.evaluation.run_scorer import KEPT_RESULTS
from doxel.measures.curves import curve
from doxel.reports.report_data import build_report_data
from doxel.reports.report_page import render_report

RUNS, TOPICS, DOCUMENTS = 100, 120, 5
MEASURES = ["MAiP", "iP@0", "iP@0.01", "iP@0.05", "iP@0.1"]


@pytest.fixture(scope="module")
def page():
    random = np.random.default_rng(3)
    runs = [f"system-{number:03d}" for number in range(RUNS)]
    topics = [str(2009001 + number) for number in range(TOPICS)]
    points = [measure.name for measure in curve("iP").measures]
    names = list(dict.fromkeys([*MEASURES, *points]))
    shape = (RUNS, len(names), TOPICS)
    scores = pl.DataFrame(
        {
            "run": np.repeat(runs, len(names) * TOPICS),
            "topic": np.tile(topics, RUNS * len(names)),
            "measure": np.tile(np.repeat(names, TOPICS), RUNS),
            "score": (random.random(shape) * np.linspace(0.3, 0.9, RUNS)[:, None, None]).ravel(),
        }
    )
    rows = [
        {"run": run, "topic": topic, "rank": rank, "doc": f"d{rank}", "start": 10 * rank, "end": 500 * rank}
        for run in runs
        for topic in topics[:3]
        for rank in range(1, DOCUMENTS + 1)
    ]
    counts = {"relevant": 5, "new": 9, "new_relevant": 5}
    results = KEPT_RESULTS.fit(
        pl.DataFrame(rows).with_columns(**{key: pl.lit(n) for key, n in counts.items()})
    )
    whole = Evaluation(scores, results=results)
    evaluation = Evaluation(scores.filter(pl.col("measure").is_in(MEASURES)), results=results)
    judged = JUDGED.fit(pl.DataFrame({"topic": topics, "doc": "d1"}))
    findings = Findings(
        evaluation=evaluation,
        points=whole,
        curves=(curve("iP"),),
        settings=ReportSettings(resamples=200),
        assessments=Assessments("2006", judged),
    )
    return render_report(build_report_data(findings, title="A large campaign"))


def test_a_large_page_is_small_enough(page):
    assert len(page.encode()) < 15_000_000


def test_a_large_page_opens_without_delay(page, chromium, tmp_path):
    path = tmp_path / "index.html"
    path.write_text(page, encoding="utf-8")
    with opened(chromium, "about:blank") as browser:
        session = browser.page.context.new_cdp_session(browser.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})  # the processor's time
        browser.page.goto(path.as_uri())
        settle(browser.page)
        metrics = {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}
        assert 0 < metrics["TaskDuration"] < 5  # about 0.4 s
        assert browser.page.locator("#leaderboard tbody tr").count() == RUNS
        assert browser.page.locator("#topics canvas").count() == 0  # drawn when it becomes visible
        for section in browser.page.query_selector_all("main section"):
            section.scroll_into_view_if_needed()
            settle(browser.page)
        assert browser.page.locator("#topics canvas").count() == 1
        assert browser.complaints == []
