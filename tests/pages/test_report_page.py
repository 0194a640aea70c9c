"""The report page in a real browser, opened from disk: self-contained, correct, and safe from names."""

from __future__ import annotations

import csv
import json
from itertools import pairwise

import polars as pl
import pytest

from browser import SCREENS, opened, settle
from doxel.documents import read_collection
from doxel.reports.report_page import render_report
from reports.hostile_campaign import EVIL_RUN, EVIL_TEXT, EVIL_TOPIC, LATEX_RUN, RTL_RUN

RUNS = [EVIL_RUN, RTL_RUN, LATEX_RUN]


@pytest.fixture
def page(chromium, report):
    with opened(chromium, report / "index.html") as browser:
        wait_until_drawn(browser.page, "leaderboard")
        yield browser.page
        assert browser.complaints == []


def wait_until_drawn(page, section):
    """Wait for the script's own version of a section; the file has a leaderboard for browsers without."""
    page.wait_for_function(f"document.querySelector('#{section} [data-part]')?.children.length > 0")
    settle(page)


def texts(page, selector):
    return page.locator(selector).all_text_contents()


def show(page, section):
    page.query_selector(f"#{section}").scroll_into_view_if_needed()
    wait_until_drawn(page, section)


def show_all(page):
    """Scroll through the whole page, so that every section is drawn."""
    for section in page.query_selector_all("main section"):
        section.scroll_into_view_if_needed()
        settle(page)


def column(page, name):
    """The cells of a column of the leaderboard, by its header."""
    heads = [text.rstrip("▾▴") for text in texts(page, "#leaderboard thead th")]
    place = heads.index(name) + 1
    return texts(page, f"#leaderboard tbody tr > :nth-child({place})")


def means(report):
    table = pl.read_parquet(report / "means.parquet")
    return {
        (run, measure): score for run, measure, score in table.select("run", "measure", "score").iter_rows()
    }


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_page_loads_nothing_logs_no_errors_and_fits_its_width(chromium, report, width, scheme):
    with opened(chromium, report / "index.html", width=width, scheme=scheme) as browser:
        show_all(browser.page)
        browser.page.select_option("#measure", label="char_rec@10")
        settle(browser.page)
        assert browser.requests == [(report / "index.html").resolve().as_uri()]
        assert browser.complaints == []
        assert browser.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        colour = browser.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (colour == "rgb(255, 255, 255)") == (scheme == "light")


def test_every_section_is_shown(page):
    sections = [node.get_attribute("id") for node in page.query_selector_all("main section")]
    wanted = ["leaderboard", "curves", "documents", "topics", "runs", "differences", "agreement", "overlap"]
    assert sections == [*wanted, "skipped", "how"]


# -- the leaderboard --


def test_the_leaderboard_shows_the_means(page, report):
    expected = means(report)
    for measure in ("MAiP", "iP@0", "char_rec@10", "char_prec@10"):
        cells = dict(zip(column(page, "run"), column(page, measure), strict=True))
        for run in RUNS:
            assert cells[run if run != EVIL_RUN else f"{run}baseline"] == f"{expected[run, measure]:.4f}"


def test_the_leaderboard_shows_uncertainties_apart(page, report):
    table = pl.read_parquet(report / "means.parquet").filter(measure="MAiP")
    residuals = dict(table.select("run", "residual").iter_rows())
    cells = dict(zip(column(page, "run"), column(page, "unjudged text"), strict=True))
    for run in RUNS:
        # a minus sign is the typographic one; 0 has no sign
        text = cells[run if run != EVIL_RUN else f"{run}baseline"].replace("−", "-").lstrip("+")
        assert float(text) == pytest.approx(residuals[run], abs=5e-5)
    assert any("interval over topics" in head for head in texts(page, "#leaderboard thead th"))
    assert page.locator("#leaderboard .interval line.residual").count() == len(RUNS)


def test_the_best_score_is_marked(page, report):
    expected = means(report)
    best = max(expected[run, "char_rec@10"] for run in RUNS)
    heads = [text.rstrip("▾▴") for text in texts(page, "#leaderboard thead th")]
    place = heads.index("char_rec@10") + 1
    assert set(texts(page, f"#leaderboard td:nth-child({place}) .best")) == {f"{best:.4f}"}


def test_a_click_on_a_header_sorts_the_leaderboard(page):
    numbers = [float(text) for text in column(page, "char_rec@10")]
    button = page.locator("#leaderboard thead button", has_text="char_rec@10")
    button.click()
    assert [float(text) for text in column(page, "char_rec@10")] == sorted(numbers, reverse=True)
    button.click()
    assert [float(text) for text in column(page, "char_rec@10")] == sorted(numbers)
    assert page.locator("#leaderboard th[aria-sort=ascending]").text_content().startswith("char_rec@10")
    page.locator("#leaderboard thead button", has_text="run").click()
    first = column(page, "run")
    page.locator("#leaderboard thead button", has_text="run").click()
    assert column(page, "run") == first[::-1]
    assert sorted(numbers) != numbers[::-1] or len(set(numbers)) > 1  # otherwise there is nothing to sort


def test_the_chosen_measure_is_shown_in_all_sections(page, report):
    page.select_option("#measure", label="char_rec@10")
    assert texts(page, "#leaderboard thead th")[2].startswith("char_rec@10")
    show(page, "topics")
    assert "char_rec@10" in texts(page, "#topics thead th")[1]
    show(page, "differences")
    pairs = pl.read_parquet(report / "differences.parquet").filter(measure="char_rec@10")
    rows = page.locator("#differences tbody tr").count()
    assert rows == pairs.height == 2


# -- hovering --


def hover_curve(page, number, share):
    chart = page.locator("#curves svg.chart").nth(number)
    box = chart.bounding_box()
    left, right = 50, float(chart.get_attribute("data-right"))
    x = box["x"] + left + share * (box["width"] - left - right)
    page.mouse.move(x, box["y"] + box["height"] / 2)
    settle(page)  # moves of the mouse arrive with the next frame
    rows = [row.query_selector_all("td") for row in page.query_selector_all("#tip tr")]
    return {cells[0].text_content().strip(): cells[1].text_content() for cells in rows}


def test_hovering_over_a_curve_shows_the_values_of_the_tables(page, report):
    show(page, "curves")
    with (report / "curves" / "iP.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for share in (0.0, 0.5, 1.0):
        values = hover_curve(page, 0, share)
        expected = {row["run"]: float(row["mean"]) for row in rows if float(row["at"]) == share}
        assert values == {run: f"{expected[run]:.4f}" for run in RUNS}
    at_zero = hover_curve(page, 0, 0.0)
    assert at_zero == {
        run: f"{score:.4f}" for (run, measure), score in means(report).items() if measure == "iP@0"
    }
    page.mouse.move(5, 5)
    settle(page)
    assert page.locator("#tip").is_hidden()


def test_a_curve_can_be_read_with_the_keyboard(page):
    show(page, "curves")
    page.locator("#curves svg.chart").first.focus()
    page.keyboard.press("ArrowRight")
    assert texts(page, "#tip .tip-title") == ["recall (characters) 0"]
    page.keyboard.press("ArrowRight")
    assert texts(page, "#tip .tip-title") == ["recall (characters) 0.01"]


def test_names_are_at_the_ends_of_lines_where_there_is_room(chromium, report):
    for width, labels, listed in ((1280, 6, 0), (390, 0, 3)):  # three runs, two curves
        with opened(chromium, report / "index.html", width=width) as browser:
            show(browser.page, "curves")
            assert browser.page.locator("#curves .labels text").count() == labels
            assert browser.page.locator("#curves .legend li").count() == listed
            boxes = [node.bounding_box() for node in browser.page.query_selector_all("#curves .labels line")]
            by_chart = [sorted(box["y"] for box in part) for part in (boxes[:3], boxes[3:])]
            for places in by_chart:
                assert all(below - above > 14 for above, below in pairwise(places))


@pytest.mark.integration
def test_the_numbers_below_a_curve_over_budgets_do_not_touch(chromium, demo, tmp_path):
    from documents.commands import doxel

    options = ["-a", demo.assessments["qrels"], "-c", demo.collection, "-m", "char_rec@10", "--show", "none"]
    options += ["--curve", "char_rec/budget", "--curve", "char_prec/budget", "-o", tmp_path / "out"]
    assert doxel("report", *options, demo.runs[0].parent / "windows-disjoint.run").status == 0
    for width in (1280, 390):
        with opened(chromium, tmp_path / "out" / "index.html", width=width) as browser:
            show(browser.page, "curves")
            chart = browser.page.query_selector("#curves .grid")
            numbers = chart.query_selector_all("text[text-anchor=middle]:not(.axis)")
            assert numbers[0].text_content() == "100"
            boxes = [node.bounding_box() for node in numbers]
            assert all(left["x"] + left["width"] < right["x"] for left, right in pairwise(boxes))


@pytest.mark.integration
def test_a_narrow_screen_shows_the_group_letters_without_scrolling(chromium, campaign, tmp_path):
    from documents.commands import doxel

    options = ["-a", campaign.gold, "-c", campaign.collection, "-m", "char_rec@10", "--show", "none"]
    options += ["--test", "tukey", "--resamples", 100, "-o", tmp_path / "out"]
    assert doxel("report", *options, *campaign.runs).status == 0
    with opened(chromium, tmp_path / "out" / "index.html", width=390) as browser:
        wait_until_drawn(browser.page, "leaderboard")
        assert texts(browser.page, "#leaderboard thead th")[3] == "group"
        for node in browser.page.query_selector_all("#leaderboard tbody td.letters"):
            box = node.bounding_box()
            assert node.text_content() != ""
            assert box["x"] + box["width"] <= 390


def test_hovering_over_a_topic_shows_its_score(page, report):
    show(page, "topics")
    canvas = page.locator("#topics canvas")
    geometry = json.loads(canvas.get_attribute("data-geometry"))
    box = canvas.bounding_box()
    scores = {
        (run, topic): score
        for run, topic, measure, score in pl.read_parquet(report / "scores.parquet")
        .select("run", "topic", "measure", "score")
        .iter_rows()
        if measure == "MAiP"
    }
    seen = set()
    for row in range(3):
        for place in range(3):
            x = box["x"] + geometry["left"] + (place + 0.5) * geometry["wide"]
            page.mouse.move(x, box["y"] + geometry["top"] + (row + 0.5) * geometry["tall"])
            settle(page)
            run, score = texts(page, "#tip td")
            topic = page.query_selector("#tip .tip-title bdi").text_content()
            assert score == f"{scores[run, topic]:.4f}"
            seen.add((run, topic))
    assert seen == set(scores)


def test_differences_to_the_baseline_are_those_of_the_scores(page, report):
    show(page, "differences")
    scores = pl.read_parquet(report / "scores.parquet").filter(measure="MAiP")
    by_key = {(run, topic): score for run, topic, score in scores.select("run", "topic", "score").iter_rows()}
    run = page.locator("#differences select").evaluate("node => node.selectedOptions[0].text")
    for group in page.query_selector_all("#differences .column"):
        topic = group.get_attribute("data-topic")
        group.query_selector(".target").hover(force=True)
        settle(page)
        difference = by_key[run, topic] - by_key[EVIL_RUN, topic]
        figure = texts(page, "#tip b")[0].replace("−", "-")
        assert float(figure) == pytest.approx(difference, abs=5.1e-5)
    assert page.locator("#differences .column").count() == 3


# -- documents --


def each_document(page):
    show(page, "documents")
    for place in range(page.locator("#documents .shelf button").count()):
        page.locator("#documents .shelf button").nth(place).click()
        yield place


COUNT = """run => {
  const spans = [...document.querySelectorAll(`#documents .bracket[data-run="${run}"]`)];
  const data = JSON.parse(document.getElementById("report").textContent);
  const shelf = [...document.querySelectorAll("#documents .shelf button")];
  const place = shelf.findIndex(button => button.hasAttribute("aria-current"));
  const one = data.documents[place];
  const results = (one.results[run] || []).map(r => [r[1], r[2]]);
  let all = 0, lit = 0;
  for (const piece of document.querySelectorAll("#documents .prose [data-start]")) {
    const from = Number(piece.dataset.start);
    if (!results.some(([start, end]) => start <= from && from < end)) continue;
    const letters = [...piece.textContent].length;
    all += letters;
    if (piece.tagName === "MARK") lit += letters;
  }
  return [spans.length === results.length, all, lit];
}"""


def test_only_the_whole_is_a_hundred_per_cent(page, report):
    data = json.loads((report / "report.json").read_text())
    shares = []
    for place in each_document(page):
        total = sum(end - start for start, end in data["documents"][place]["highlights"])
        for row in page.query_selector_all("#documents .document tbody tr") if total else ():
            covered = int(row.query_selector("[data-count=new_relevant]").text_content().replace(",", ""))
            percent = 100 if covered == total else min(99, round(100 * covered / total))
            assert row.query_selector("td:last-child").text_content() == f"{percent} %"
            shares.append(covered / total)
    assert shares


def test_the_overlay_counts_the_characters_that_the_measure_counts(page, report, campaign):
    data = json.loads((report / "report.json").read_text())
    sums_by_key = {}
    for place in each_document(page):
        topic = data["documents"][place]["topic"]
        for row in page.query_selector_all("#documents .document tbody tr"):
            run = int(row.get_attribute("data-run"))
            expected = [
                int(cell.text_content().replace(",", "")) for cell in row.query_selector_all("[data-count]")
            ]
            drawn, *counted = page.evaluate(COUNT, run)
            assert drawn
            assert counted == expected
            sums = sums_by_key.setdefault((data["runs"][run], topic), [0, 0])
            sums[0] += expected[0]
            sums[1] += expected[1]
    gold = pl.read_ndjson(campaign.gold, infer_schema_length=None)
    scores = pl.read_parquet(report / "scores.parquet")
    for (run, topic), (characters, relevant) in sums_by_key.items():
        spans = gold.filter(topic=topic).drop_nulls("start")
        total = (spans["end"] - spans["start"]).sum()
        of = dict(scores.filter(run=run, topic=topic).select("measure", "score").iter_rows())
        assert relevant / total == pytest.approx(of["char_rec@10"])
        assert relevant / characters == pytest.approx(of["char_prec@10"])
    assert len(sums_by_key) == 9
    assert any(relevant for _, relevant in sums_by_key.values())


def test_highlights_have_the_right_offsets_although_javascript_counts_differently(page, report, campaign):
    data = json.loads((report / "report.json").read_text())
    collection = read_collection(campaign.collection)
    marked = 0
    for place in each_document(page):
        document = data["documents"][place]
        expected = [collection[document["doc"]].text[start:end] for start, end in document["highlights"]]
        assert "".join(texts(page, "#documents mark")) == "".join(expected)
        assert page.locator("#documents .entry").count() == (document["bep"] is not None)
        marked += len(expected)
    assert marked > 3


def test_a_result_shows_its_rank_and_marks_its_text(page):
    show(page, "documents")
    bracket = page.locator("#documents .bracket").first
    bracket.hover(force=True)
    settle(page)
    assert f"rank {bracket.get_attribute('data-rank')}" in texts(page, "#tip .tip-title")[0]
    assert page.locator("#documents .on").count() >= 1


def test_a_run_can_be_hidden_and_shown_again(page):
    show(page, "curves")
    assert page.locator("#curves .lines path").count() == 6  # three runs, two curves
    page.locator("#leaderboard tbody input").first.uncheck()
    assert page.locator("#curves .lines path").count() == 4
    page.locator("#leaderboard tbody input").first.check()
    assert page.locator("#curves .lines path").count() == 6


# -- hostile names --


def test_names_are_shown_as_text(page):
    assert page.title() == EVIL_TEXT
    assert page.query_selector("h1").text_content() == EVIL_TEXT
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    assert EVIL_RUN in "".join(column(page, "run"))
    assert RTL_RUN in column(page, "run")
    assert page.evaluate(
        "[...document.querySelectorAll('#leaderboard tbody th')].every(n => n.querySelector('bdi'))"
    )
    show(page, "documents")
    assert EVIL_TOPIC in texts(page, "#documents .shelf h3 bdi")


def test_the_policy_forbids_foreign_scripts_and_styles(chromium, report):
    with opened(chromium, report / "index.html") as browser:
        page = browser.page
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p id=late style=\"color:red\">x</p>')")
        assert page.evaluate("getComputedStyle(document.getElementById('late')).color") != "rgb(255, 0, 0)"
        page.evaluate("""() => { const made = document.createElement('script');
            made.textContent = 'window.taken = true'; document.body.append(made); }""")
        assert page.evaluate("window.taken") is None
        policy = page.get_attribute("meta[http-equiv]", "content")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert len([complaint for complaint in browser.complaints if "Content Security Policy" in complaint]) == 2


# -- printing, browsers without scripts, and rendering again --


def test_the_printed_page_has_no_controls(page):
    page.emulate_media(media="print")
    assert page.locator("#bar").is_hidden()
    assert page.locator("#leaderboard table").is_visible()


def test_means_are_shown_without_scripts(chromium, report):
    with opened(chromium, report / "index.html", java_script_enabled=False) as browser:
        body = browser.page.query_selector("#leaderboard").text_content()
        expected = means(report)
        assert all(f"{expected[run, 'MAiP']:.4f}" in body for run in RUNS)


def test_the_page_is_made_from_the_json_alone(report):
    data = json.loads((report / "report.json").read_text("utf-8"))
    assert render_report(data) == (report / "index.html").read_text("utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(chromium, report, scheme):
    from axe_playwright_python.sync_playwright import Axe

    for width in (1280, 390):
        # axe injects its own script, which the page's policy would block
        with opened(chromium, report / "index.html", width=width, scheme=scheme, bypass_csp=True) as browser:
            show_all(browser.page)
            violations = (
                Axe().run(browser.page, options={"resultTypes": ["violations"]}).response["violations"]
            )
            assert [(violation["id"], violation["nodes"][0]["html"]) for violation in violations] == []


# -- measures for which lower is better --


def test_the_lowest_score_comes_first_if_lower_is_better(chromium, report, tmp_path):
    data = json.loads((report / "report.json").read_text("utf-8"))
    main, topic = data["main"], 0
    orders = {}
    for lower in (False, True):
        data["lower"] = [lower] * len(data["measures"])
        (tmp_path / "page.html").write_text(render_report(data), "utf-8")
        with opened(chromium, tmp_path / "page.html") as browser:
            show(browser.page, "topics")
            browser.page.select_option("#topics [data-part=one] select", index=topic)
            orders[lower] = texts(browser.page, "#topics [data-part=one] tbody th")
            bold = texts(browser.page, "#topics [data-part=one] strong.best")
            show(browser.page, "differences")
            caption = browser.page.text_content("#differences [data-part=note]")
            assert ("below the line the run is better" in caption) == lower
            assert browser.complaints == []
        scores = {run: data["scores"][main][place][topic] for place, run in enumerate(data["runs"])}
        assert orders[lower] == sorted(scores, key=lambda run: scores[run] if lower else -scores[run])
        best = min(scores.values()) if lower else max(scores.values())
        assert set(bold) == {f"{best:.4f}"}
    assert orders[True] == orders[False][::-1]


def test_scores_of_shown_topics_are_explained_and_others_give_the_command(page, report):
    data = json.loads((report / "report.json").read_text("utf-8"))
    show(page, "topics")
    page.select_option("#measure", value="0")
    cell = next(cell for cell in data["explain"]["cells"] if cell["measure"] == 0)
    topics = [topic["id"] for topic in data["topics"]]
    page.select_option("#topics .controls select", value=str(topics.index(cell["topic"])))
    page.click(f"#topics tr[data-run='{cell['run']}'] button")
    settle(page)
    assert texts(page, "#topics [data-part=explanation] thead th") == cell["header"]
    assert len(texts(page, "#topics [data-part=explanation] tbody tr")) == len(cell["rows"])
    assert texts(page, "#topics [data-part=explanation] .sum") == [f"{cell['formula']}= {cell['sum']}"]
    explained_topics = {cell["topic"] for cell in data["explain"]["cells"]}
    hidden = [place for place, topic in enumerate(topics) if topic not in explained_topics]
    if hidden:
        page.select_option("#topics .controls select", value=str(hidden[0]))
        settle(page)
        (command,) = texts(page, "#topics [data-part=explanation] code.command")
        assert data["measures"][0] in command


@pytest.mark.integration
def test_runs_of_several_tasks_are_shown_task_by_task(chromium, demo, tmp_path):
    from documents.commands import doxel

    names = ("bm25-focused.xml", "lm-focused.run", "bm25-elements.xml", "bm25-sections.xml")
    runs = [demo.runs[0].parent / name for name in names]
    options = ["-a", demo.assessments["qrels"], "-c", demo.collection, "-m", "MAiP", "--show", "none"]
    assert doxel("report", *options, "-o", tmp_path, *runs).status == 0
    with opened(chromium, tmp_path / "index.html") as browser:
        page = browser.page
        wait_until_drawn(page, "leaderboard")
        for section in ("leaderboard", "curves", "differences"):
            show(page, section)
            assert texts(page, f"#{section} h3.task") == ["thorough", "focused"]
        shown_runs = texts(page, '#leaderboard [data-part="task-0"] tbody tr th')
        assert sorted(name.removesuffix("baseline") for name in shown_runs) == [
            "bm25-elements",
            "bm25-sections",
        ]
        assert len(page.query_selector_all("#leaderboard strong.best")) == 2
        assert texts(page, '#differences [data-part="task-0"] tbody tr th') == ["bm25-sections"]
        assert len(page.query_selector_all("#curves svg.chart")) == 2
        names = texts(page, '#curves [data-part="task-0"] .labels text')
        assert sorted(name[: len(name) // 2] for name in names) == ["bm25-elements", "bm25-sections"]
        assert browser.complaints == []
