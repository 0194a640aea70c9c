"""Judging with plain forms: entries are stored; refused entries are kept, with the reason."""

import re
from dataclasses import replace

import pytest

from assess.plain_pages import tree, words
from doxel.assess.judging_events import EVENT_KINDS, BodyField

FORM = "/assignments/1/forms/apples"


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def fault(answer):
    """Return the text of the fault on a page."""
    return re.search(r'<p class="fault"[^>]*>([^<]*)<', answer.text)[1]


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"action": "highlight", "quote": "<quinces>"}, "required>&lt;quinces&gt;</textarea>"),
        ({"action": "highlight", "path": "/book[1]"}, 'name="path" value="/book[1]"'),
        ({"action": "bep", "quote": "quinces"}, 'name="quote" value="quinces"'),
    ],
)
def test_a_form_that_is_refused_keeps_its_input(site, fields, kept):
    anna = site.visitor("anna")
    answer = anna.form(FORM, **fields)
    assert answer.status_code == 400
    assert fault(answer)
    assert answer.text.count(kept) == 1
    assert kept not in anna.get(FORM).text


def test_a_refused_event_is_shown_on_the_page_of_the_document(site):
    anna = site.visitor("anna")
    anna.form(FORM, action="highlight", quote="Green ones")
    answer = anna.form(FORM, action="validate")
    assert answer.status_code == 409
    assert "entry point" in fault(answer)
    assert "<mark>Green ones</mark>" in answer.text


def test_a_note_is_not_lost_when_the_assignment_was_locked_meanwhile(site):
    anna = site.visitor("anna")
    site.visitor("olga").post("/api/assignments/1/locked", {"locked": True})
    answer = anna.form(FORM, action="note", text="half a page of thoughts")
    assert (answer.status_code, "locked" in fault(answer)) == (409, True)
    assert "half a page of thoughts" in answer.text


DOC = "/assignments/1/forms/apples"


def act(visitor, action, path=DOC, **fields):
    answer = visitor.form(path, action=action, **fields)
    assert answer.status_code == 303, answer.text
    return words(visitor.get(answer.headers["location"]))


def state(visitor, path="/api/assignments/1/states/apples"):
    return visitor.get(path).json()["state"]


def test_an_assessor_judges_with_forms(enter):
    anna = enter("anna")
    assert "Topic 1" in words(anna.get("/"))
    assert "0 of 2 documents are done" in words(anna.get("/assignments/1"))
    assert "Not done yet" in words(anna.get(DOC))
    assert "no best entry point" in act(anna, "highlight", quote="Red apples\nare ripe.")
    assert state(anna)["highlights"] == [[6, 26]]
    act(anna, "bep", quote="apples are")
    assert state(anna)["bep"] == 10
    assert "Done." in act(anna, "validate")
    html = anna.get(DOC).text
    assert "<mark>Red </mark>" in html
    assert 'class="bep"' in html
    act(anna, "unhighlight", start="6", end="10")
    assert state(anna)["highlights"] == [[10, 26]]
    assert not state(anna)["validated"]


def test_elements_entry_points_and_notes_with_forms(enter):
    anna = enter("anna")
    anna.http.post(DOC, data={"csrf": anna.csrf, "action": "highlight", "path": "/article[1]/sec[2]"})
    assert state(anna)["highlights"] == [[45, 67]]
    anna.http.post(DOC, data={"csrf": anna.csrf, "action": "bep", "path": "/article[1]/sec[1]/p[2]"})
    assert state(anna)["bep"] == 26
    anna.form(DOC, action="no-bep")
    assert state(anna)["bep"] is None
    anna.form(DOC, action="note", text="one\r\ntwo")
    assert state(anna)["note"] == "one\ntwo"
    assert "Pooled elements" not in words(anna.get(DOC))
    anna.form(DOC, action="show")
    assert "/article[1]/sec[1]: characters 6 to 45" in words(anna.get(DOC))


def test_nothing_relevant_removes_all_marks_and_is_done(enter):
    anna = enter("anna")
    anna.form(DOC, action="highlight", quote="Red apples")
    anna.form(DOC, action="bep", quote="Red apples")
    anna.form(DOC, action="nothing")
    after = state(anna)
    assert (after["highlights"], after["bep"], after["validated"]) == ([], None, True)
    anna.form(DOC, action="reopen")
    assert not state(anna)["validated"]


@pytest.mark.parametrize("scale", ["2002", "2003", "2005"])
def test_grades_with_forms(enter, scale):
    olga, dora = enter("olga"), enter("carl")
    answer = olga.form("/organiser/assignments", topic="1", assessor="carl", scale=scale)
    assert answer.status_code == 303
    path, api = "/assignments/3/forms/apples", "/api/assignments/3/states/apples"
    if scale == "2005":
        dora.form(path, action="highlight", quote="Pears are no")
        assert "Best entry point" not in words(dora.get(path))
        assert "has no grade" in words(dora.get(path))
        grades = {"exhaustivity": "1"}
        elements = ["/article[1]", "/article[1]/sec[2]", "/article[1]/sec[2]/p[1]"]
    else:
        assert "/article[1]/sec[1] has no grade" in words(dora.get(path))
        coarse = {"relevance": "2", "coverage": "L"}
        grades = coarse if scale == "2002" else {"exhaustivity": "2", "specificity": "1"}
        elements = ["/article[1]/sec[1]"]
    for element in elements:
        dora.http.post(path, data={"csrf": dora.csrf, "action": "grade", "path": element, **grades})
    assert dora.form(path, action="validate").status_code == 303
    assert state(dora, api)["validated"]
    assert state(dora, api)["grades"] == dict.fromkeys(elements, grades)
    dora.form(path, action="nothing")
    assert state(dora, api)["validated"]


def test_nothing_relevant_grades_the_root_where_no_element_was_pooled(enter):
    """Also when another element was graded before."""
    olga, carl = enter("olga"), enter("carl")
    olga.form("/organiser/assignments", topic="2", assessor="carl", scale="2003")
    path, grades = "/assignments/3/forms/plums", {"exhaustivity": "1", "specificity": "1"}
    carl.form(path, action="grade", path="/article[1]/sec[1]", **grades)
    assert carl.form(path, action="nothing").status_code == 303
    zero = dict.fromkeys(grades, "0")
    judgement = state(carl, "/api/assignments/3/states/plums")
    assert (judgement["validated"], judgement["grades"]) == (
        True,
        {"/article[1]": zero, "/article[1]/sec[1]": zero},
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": "highlight", "quote": "apples"}, "text found several times"),
        ({"action": "highlight", "quote": "quinces"}, "text not found"),
        ({"action": "highlight", "path": "/book[1]"}, "the path of an element in this document"),
        ({"action": "bep", "start": "9999", "end": "10000"}, "67 characters"),
        ({"action": "paint"}, "an unknown action"),
        ({}, "an unknown action"),
    ],
)
def test_invalid_forms_are_refused_on_a_page(enter, fields, message):
    anna = enter("anna")
    answer = anna.http.post(DOC, data={"csrf": anna.csrf, **fields})
    assert answer.status_code in {400, 409}
    assert message in answer.text


@pytest.fixture
def mood(monkeypatch):
    """A version in which assessors who are done may say why, how they feel, and that they looked."""
    fields = (
        BodyField("reason", "text", "note", most=100, is_optional=True, default=""),
        BodyField("mood", "choice", "bep", values=("good", None), is_optional=True),
        BodyField("looked", "flag", "pooled_shown", is_optional=True, default=False),
    )
    monkeypatch.setitem(EVENT_KINDS, "validate", replace(EVENT_KINDS["validate"], body=fields))


@pytest.mark.usefixtures("mood")
@pytest.mark.parametrize("action", ["validate", "nothing"])
def test_forms_have_inputs_for_declared_fields_with_a_default(enter, action):
    anna = enter("anna")
    form = tree(anna.get(DOC)).find(f".//form/input[@value='{action}']/..")
    assert [node.get("name") for node in form.iterfind(".//label/*")] == ["reason", "mood", "looked"]
    assert [node.get("value") for node in form.iterfind(".//select/option")] == ["good", ""]
    assert form.find(".//option[@selected]").get("value") == ""
    anna.form(DOC, action=action, reason="short", mood="good", looked="yes")
    after = state(anna)
    assert (after["note"], after["bep"], after["pooled_shown"]) == ("short", "good", True)
    assert after["validated"]


@pytest.mark.usefixtures("mood")
def test_forms_without_the_inputs_leave_fields_at_their_default(enter):
    anna = enter("anna")
    anna.form(DOC, action="validate", mood="")
    after = state(anna)
    assert (after["note"], after["bep"], after["pooled_shown"], after["validated"]) == ("", None, False, True)
    refused = anna.form(DOC, action="validate", mood="bad")
    assert refused.status_code == 400
    assert "mood: wanted one of good, null" in refused.text


def test_regular_expressions_of_users_never_run_on_the_server(site):
    """A quotation is searched literally, whatever it would mean as a pattern."""
    anna = site.visitor("anna")
    answer = anna.form("/assignments/1/forms/apples", action="highlight", quote="(a+)+$")
    assert answer.status_code == 400
    assert "text not found" in answer.text
    assert anna.form("/assignments/1/forms/apples", action="highlight", quote="R.d apples").status_code == 400
