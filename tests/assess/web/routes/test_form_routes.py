"""Plain forms: what was refused is shown on the same page, and what was entered is kept."""

import re

import pytest

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
