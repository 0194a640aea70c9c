"""Grades on the judging page, on each scale, with one key for each value."""

import pytest

from doxel.assess.web.static_files import make_static_address
from doxel.pooling import PooledPart
from pages.judging.judge import judged
from pages.judging.served_site import judging_site
from pages.judging.viewing import viewing

FRUIT = "<article><title>Apples</title><sec><p>Red apples are ripe.</p><p>Green ones not.</p></sec></article>"
NESTED = (
    "<article><title>Apples</title><sec><st>Ripe</st><p>Red apples.</p><p>Green ones.</p></sec>"
    "<sec><ss1><p>Pears keep.</p></ss1></sec><p>The end.</p></article>"
)
LAST = "/article[1]/p[1]"
DOCUMENTS = dict.fromkeys(("apples", "pears", "plums", "whole", "slow", "after", "astray"), FRUIT)
DOCUMENTS |= dict.fromkeys(("many", "inherited"), NESTED)
DOCUMENTS |= {
    "plan": FRUIT,
    "named": "<article><bdy><p>A.</p><sec><ss1><p>B.</p></ss1><ss1><p>C.</p>"
    "<ip1>D <odd>e</odd> <odd>f</odd> g</ip1></ss1></sec></bdy><p>H.</p></article>",
}
NAMES = """async () => {
  globalThis.Names = (await import('CORE/document_outline.js')).ElementNames;
  const { outline, findLook } = view.rendered;
  const names = new Names(outline, findLook);
  const rows = Array.from({ length: outline.length }, (_, row) => row);
  const all = rows.map((row) => names.find(row));
  if (new Set(all).size !== all.length) throw new Error('two elements have the same name');
  return Object.fromEntries(rows.filter((row) => !outline.path(row).endsWith('ss1[1]/p[1]'))
    .map((row) => [outline.path(row), all[row]]));
}""".replace("CORE", make_static_address("core"))
SECTION, FIRST, SECOND = "/article[1]/sec[1]", "/article[1]/sec[1]/p[1]", "/article[1]/sec[1]/p[2]"
PARTS = {
    doc: [PooledPart(path, None, None) for path in (SECTION, FIRST)]
    for doc in ("apples", "pears", "plums", "slow", "plan")
}
PARTS["astray"] = [PooledPart("/article[1]/sec[7]", None, None)]
ASSESSORS = {"2006": ("anna", 1), "2005": ("carl", 3), "2003": ("olga", 4), "2002": ("dora", 5)}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Assignments of topic 1 on every scale."""
    others = [(name, scale, "word") for scale, (name, assignment) in ASSESSORS.items() if assignment > 2]
    with judging_site(tmp_path_factory.mktemp("grades"), DOCUMENTS, parts=PARTS, others=others) as new_site:
        yield new_site


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
        judge.said("the whole document has no grade")
        grading(judge).wait_for()
        judge.press("2")  # the article; what comes next is asked for by itself
        judge.said("2 grades missing")
        judge.press("1", "2")
        judge.said("section 1, paragraph 1 has 2, section 1 has 1 around it")
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
        assert "Grade section 1, paragraph 2" in grading(judge).inner_text()
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


def test_the_same_grade_is_given_to_all_inside_after_a_preview_and_undone_in_one_step(judge_on):
    with judge_on("2005", "many") as judge:
        judge.press("Control+a", "h", "m")
        judge.press("i")
        judge.said("Grade the element first")
        judge.press("2", "p", "1")  # the whole document, then from its end the last paragraph
        judge.page.locator("#grades button", has_text="the whole document").click()
        judge.press("i")
        judge.said("exhaustivity 2 for all inside the whole document: 8 elements")
        listed = grading(judge).locator("li").all_inner_texts()
        assert listed[:3] == [
            "2 title: Apples",
            "2 section 1: Ripe Red apples. Green ones.",
            "2 section 1, heading: Ripe",
        ]
        assert len(judge.state()["grades"]) == 2, "nothing is given yet"
        judge.press("Escape")
        assert "Grade the whole document" in grading(judge).inner_text()
        judge.press("i", "Enter")
        judge.said("8 grades given; undo takes them back together. No grade is missing.")
        grades = judge.state()["grades"]
        assert len(grades) == 10
        assert {path for path, grade in grades.items() if grade["exhaustivity"] == "1"} == {LAST}
        judge.press("Control+z")
        assert len(judge.state()["grades"]) == 2


def test_elements_without_grade_inherit_that_of_the_nearest_element_around(judge_on):
    with judge_on("2005", "inherited") as judge:
        judge.press("Control+a", "h", "Shift+I")
        judge.said("No element around those without grade has one")
        judge.press("m", "2")
        judge.gutter("/article[1]/sec[2]").click()
        judge.press("1", "Shift+I")
        judge.said("Inherited grades: 8 elements")
        grading(judge).locator("button", has_text="Give 8 grades").click()
        grades = judge.state()["grades"]
        inner = {path: grade["exhaustivity"] for path, grade in grades.items()}
        assert {path for path, grade in inner.items() if grade == "1"} == {
            "/article[1]/sec[2]",
            "/article[1]/sec[2]/ss1[1]",
            "/article[1]/sec[2]/ss1[1]/p[1]",
        }
        assert set(inner.values()) == {"1", "2"}
        judge.press("v")
        judge.said("Done.")
        judge.press("y")
        assert "and 7 more grades" in judge.page.locator("#steps").inner_text()


def test_a_plan_shows_the_contradictions_that_would_follow(judge_on):
    """A 1 for all inside a section of 1 is right; a 2 for the section around a paragraph of 3 is not."""
    with judge_on("2003", "plan") as judge:
        judge.press("m", "1", "1", "3", "3")  # the section, and the first paragraph in it
        judge.said("section 1, paragraph 1 has 3, section 1 has 1 around it")
        judge.gutter("/article[1]").click()
        judge.press("2", "2")
        judge.page.locator("#grades button", has_text="section 1: Red").click()
        judge.press("i")
        judge.said("exhaustivity 1, specificity 1 for all inside section 1: 1 element")
        assert "instead of exhaustivity 3, specificity 3" in grading(judge).inner_text()
        assert "around it" not in grading(judge).inner_text()
        judge.press("Escape", "3", "3")
        judge.page.locator("#grades button", has_text="section 1: Red").click()
        judge.press("Delete")
        judge.page.locator("#grades button", has_text="the whole document").click()
        judge.press("Shift+I")
        judge.said("Inherited grades: 1 element")
        assert "Section 1, paragraph 1 has 3, section 1 has 2 around it." in grading(judge).inner_text()
        judge.press("Enter")
        assert judge.state()["grades"][SECTION] == {"exhaustivity": "2", "specificity": "2"}


def test_elements_have_names_that_people_read(chromium, site):
    with viewing(chromium, site, "named") as view:
        names = view(NAMES)
        assert names == {
            "/article[1]": "the whole document",
            "/article[1]/bdy[1]": "bdy",
            "/article[1]/bdy[1]/p[1]": "paragraph 1",
            "/article[1]/bdy[1]/sec[1]": "section 1",
            "/article[1]/bdy[1]/sec[1]/ss1[1]": "section 1.1",
            "/article[1]/bdy[1]/sec[1]/ss1[2]": "section 1.2",
            "/article[1]/bdy[1]/sec[1]/ss1[2]/p[1]": "section 1.2, paragraph 1",
            "/article[1]/bdy[1]/sec[1]/ss1[2]/ip1[1]": "section 1.2, paragraph 2",
            "/article[1]/bdy[1]/sec[1]/ss1[2]/ip1[1]/odd[1]": "section 1.2, paragraph 2, odd 1",
            "/article[1]/bdy[1]/sec[1]/ss1[2]/ip1[1]/odd[2]": "section 1.2, paragraph 2, odd 2",
            "/article[1]/p[1]": "paragraph 2",
        }
        assert view(
            "new Names(view.rendered.outline, view.rendered.findLook).replacePaths('/a[1]/b[2] has 1')"
        ) == ("/a[1]/b[2] has 1"), "which the document does not have"
