"""Grades on the judging page, on each scale, with one key for each value."""

import pytest

from assess.judge import judged
from assess.pages import judging_site
from doxel.pooling import PooledPart

FRUIT = "<article><title>Apples</title><sec><p>Red apples are ripe.</p><p>Green ones not.</p></sec></article>"
DOCUMENTS = dict.fromkeys(("apples", "pears", "plums", "whole", "slow", "after", "astray"), FRUIT)
SECTION, FIRST, SECOND = "/article[1]/sec[1]", "/article[1]/sec[1]/p[1]", "/article[1]/sec[1]/p[2]"
PARTS = {
    doc: [PooledPart(path, None, None) for path in (SECTION, FIRST)]
    for doc in ("apples", "pears", "plums", "slow")
}
PARTS["astray"] = [PooledPart("/article[1]/sec[7]", None, None)]
ASSESSORS = {"2006": ("anna", 1), "2005": ("carl", 3), "2003": ("olga", 4), "2002": ("dora", 5)}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Assignments of topic 1 on every scale."""
    others = [(name, scale, "word") for scale, (name, assignment) in ASSESSORS.items() if assignment > 2]
    with judging_site(tmp_path_factory.mktemp("grades"), DOCUMENTS, parts=PARTS, others=others) as found:
        yield found


@pytest.fixture
def judge_on(chromium, site):
    """Opens a document on a scale."""

    def opened(scale, doc, **options):
        name, assignment = ASSESSORS[scale]
        return judged(chromium, site, doc, assignment=assignment, name=name, **options)

    return opened


def grading(judge):
    return judge.page.locator("#grading")


def test_2006_has_no_grades(judge_on):
    with judge_on("2006", "apples") as judge:
        judge.press("m")
        judge.said("The scale 2006 does not have that")
        assert grading(judge).is_hidden()
        assert judge.page.locator("#grades-part").is_hidden()


def test_2005_asks_for_the_exhaustivity_of_all_highlighted_elements(judge_on):
    with judge_on("2005", "apples") as judge:
        judge.drag("Red apples")
        judge.press("h", "b")
        judge.said("The scale 2005 does not have that")
        assert judge.page.locator("#entry").is_hidden()
        judge.press("v")
        judge.said("/article[1] has no grade")
        grading(judge).wait_for()
        judge.press("2")  # the article; what comes next is asked for by itself
        judge.said("2 grades missing")
        judge.press("1", "2")
        judge.said("/article[1]/sec[1]/p[1] has 2, /article[1]/sec[1] has 1 around it")
        assert "around it" in grading(judge).inner_text()
        assert judge.state()["grades"][FIRST] == {"exhaustivity": "2"}
        judge.press("?")  # too small: a grade here, and not the keys
        judge.said("No grade is missing")
        judge.press("m", "v")
        judge.said("Done.")
        state = judge.state()
        assert state["validated"]
        assert state["grades"] == {
            "/article[1]": {"exhaustivity": "2"},
            SECTION: {"exhaustivity": "1"},
            FIRST: {"exhaustivity": "?"},
        }


def test_2005_elements_inside_too_small_ones_need_no_grade(judge_on):
    with judge_on("2005", "pears") as judge:
        judge.drag("Green")
        judge.press("h", "m", "1", "?")
        judge.said("No grade is missing")
        judge.press("v")
        assert judge.state()["validated"]


def test_2003_asks_for_two_grades_in_turn_and_0_gives_both(judge_on):
    with judge_on("2003", "apples") as judge:
        judge.press("m", "3", "2")
        judge.said("1 grade missing")
        judge.press("0")
        judge.said("No grade is missing")
        judge.press("v")
        judge.said("Done.")
        assert judge.state()["grades"] == {
            SECTION: {"exhaustivity": "3", "specificity": "2"},
            FIRST: {"exhaustivity": "0", "specificity": "0"},
        }
        assert judge.page.inner_text("#verdict .standing-words") == "Done", "and not that nothing is relevant"


def test_2002_coverage_is_a_letter(judge_on):
    with judge_on("2002", "apples") as judge:
        judge.press("n", "2", "s")
        judge.said("1 grade missing")
        judge.press("1", "e", "v")
        judge.said("Done.")
        grades = {
            SECTION: {"relevance": "2", "coverage": "S"},
            FIRST: {"relevance": "1", "coverage": "E"},
        }
        assert judge.state()["grades"] == grades
        judge.press("p", "Shift+N")
        assert judge.state()["grades"][SECTION] == {"relevance": "0", "coverage": "N"}
        assert not judge.state()["validated"]
        judge.press("Control+z")
        assert judge.state()["grades"] == grades
        assert judge.state()["validated"]


def test_grades_with_the_mouse_one_at_a_time(judge_on):
    with judge_on("2002", "pears") as judge:
        judge.page.locator("#grades [data-action=grade]").click()
        panel = grading(judge)
        panel.get_by_role("group", name="relevance").get_by_role("button", name="3").click()
        panel.get_by_role("group", name="coverage").get_by_role("button", name="too large").click()
        assert judge.state()["grades"] == {SECTION: {"relevance": "3", "coverage": "L"}}
        judge.press("p")
        judge.page.locator("#grades li button").first.click()
        panel.get_by_role("group", name="coverage").get_by_role("button", name="exact").click()
        assert judge.state()["grades"] == {SECTION: {"relevance": "3", "coverage": "E"}}
        judge.press("Delete")
        judge.page.locator("#grades li button").first.click()
        judge.press("Delete")
        assert judge.state()["grades"] == {}


def test_an_element_that_needs_no_grade_can_be_graded(judge_on):
    with judge_on("2003", "pears") as judge:
        judge.caret("Green")
        judge.press("e", "m")
        judge.gutter(SECOND).click()
        assert "p[2]" in grading(judge).inner_text()
        judge.press("1", "1")
        assert judge.state()["grades"] == {SECOND: {"exhaustivity": "1", "specificity": "1"}}


SLOW = """() => {
  const [real, released, landed] = [fetch, Promise.withResolvers(), Promise.withResolvers()];
  window.fetch = async (path, options) => {
    if (!path.endsWith('/pooled/slow')) return real(path, options);
    await released.promise;
    const answer = await real(path, options);
    setTimeout(landed.resolve, 200);
    return answer;
  };
  window.release = () => { released.resolve(); return landed.promise; };
}"""


def test_late_answers_for_a_skipped_document_do_not_reach_the_next(judge_on):
    """Two elements are pooled in "slow" and none in "after", and the answers arrive in reverse order."""
    with judge_on("2003", "whole") as judge:
        judge.page.evaluate(SLOW)
        judge.press("]", "]")
        judge.opens("after")
        judge.page.evaluate("release()")
        judge.press("x")
        assert sorted(judge.state()["grades"]) == ["/article[1]"]


def test_the_root_is_graded_if_the_pooled_elements_do_not_exist(judge_on):
    with judge_on("2003", "astray") as judge:
        judge.press("x")
        state = judge.state()
        assert state["validated"]
        assert sorted(state["grades"]) == ["/article[1]"]


@pytest.mark.parametrize("scale", ["2002", "2003", "2005"])
def test_nothing_relevant_grades_all_required_elements(judge_on, scale):
    with judge_on(scale, "plums") as judge:
        judge.press("x")
        judge.said("Nothing relevant here")
        state = judge.state()
        assert state["validated"]
        assert sorted(state["grades"]) == ([] if scale == "2005" else [SECTION, FIRST])
        judge.press("x")
        judge.said("This document is done: nothing relevant")
        judge.press("]")
        judge.opens("whole")
        judge.press("x")
        assert sorted(judge.state()["grades"]) == ([] if scale == "2005" else ["/article[1]"])
