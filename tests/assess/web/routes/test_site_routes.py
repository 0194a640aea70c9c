"""Home shows what to do next; error pages say what happened and lead on."""

import re

import pytest

from doxel.assess.office.work_plan import PlanRequest, apply_plan, make_plan
from doxel.assess.web.routes import site_routes


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def main_part(answer):
    return answer.text.partition("<main")[2]


def test_the_topic_to_go_on_with_comes_first(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    olga.post("/api/assignments", {"topic": "2", "assessor": "anna", "scale": "2006"})
    cards = re.findall(r'class="card( first)?".*?>Topic (\d)', anna.get("/").text, re.DOTALL)
    assert cards == [(" first", "1"), ("", "2")]
    assert "Start here" in anna.get("/").text
    assert "0 of 3 documents are done in 2 topics." in anna.get("/").text
    assert anna.send(3, event(1, doc="plums")).status_code == 200
    cards = re.findall(r'class="card( first)?".*?>Topic (\d)', anna.get("/").text, re.DOTALL)
    assert cards == [(" first", "2"), ("", "1")]
    assert "Continue here" in anna.get("/").text


def test_organisers_see_the_campaign_and_what_needs_attention_at_home(site):
    home = main_part(site.visitor("olga").get("/"))
    assert "1 topic has no assessor" in home
    assert 'href="/organiser">See what needs attention' in home
    assert "The campaign</h2>" not in main_part(site.visitor("anna").get("/"))


def test_only_a_part_of_a_topic_is_called_a_part(site):
    """Somebody who alone gets all documents of a topic has the topic, not a part of it."""
    olga = site.visitor("olga")
    with site.service.store.write() as connection:
        apply_plan(connection, "olga", make_plan(connection, PlanRequest("split", ("2",), ("carl",))))
    carl = site.visitor("carl")
    assert carl.get("/api/assignments").json()["assignments"][0]["partial"] is True
    for page in (carl.get("/"), carl.get("/assignments/3"), olga.get("/organiser")):
        assert page.status_code == 200
        assert "a part" not in page.text
        assert "judged by others" not in page.text


def test_a_search_without_matches_offers_all_documents(site):
    answer = site.visitor("anna").get("/assignments/1?q=zzz")
    assert answer.status_code == 200
    assert "No document fits." in answer.text
    assert 'href="/assignments/1#documents">Show all documents' in answer.text


def test_a_finished_topic_offers_the_next_one(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    anna.send(1, event(1, "validate", {}), event(2, "validate", {}, doc="pears"))
    assert "You have finished all your topics. Thank you!" in anna.get("/assignments/1").text
    olga.post("/api/assignments", {"topic": "2", "assessor": "anna", "scale": "2006"})
    page = anna.get("/assignments/1").text
    assert 'class="button main" href="/assignments/3/continue">Go on with topic 2' in page


@pytest.mark.parametrize(
    ("path", "status", "heading"),
    [
        ("/nowhere", 404, "There is nothing here"),
        ("/invitations/guess", 404, "This link no longer works"),
        ("/set-up/guess", 404, "This link no longer works"),
    ],
)
def test_errors_for_strangers_lead_to_the_sign_in(site, path, status, heading):
    answer = site.visitor().get(path)
    assert answer.status_code == status
    assert f"<h1>{heading}</h1>" in answer.text
    assert 'class="button main" href="/sign-in"' in answer.text
    assert "Sign out" not in answer.text


@pytest.mark.parametrize(
    ("path", "status", "heading", "reason"),
    [
        ("/nowhere", 404, "There is nothing here", "page not found"),
        ("/sign-out", 405, "There is nothing here", "method not allowed"),
        ("/assignments/99", 404, "There is nothing here", "there is no such assignment"),
        ("/organiser", 403, "This page is not open to you", "this is for organisers only"),
        ("/assignments/1?page=x", 400, "That did not work", "wanted the number of a page"),
    ],
)
def test_errors_for_people_who_have_signed_in_lead_home(site, path, status, heading, reason):
    answer = site.visitor("anna").get(path)
    assert answer.status_code == status
    assert f"<h1>{heading}</h1>" in answer.text
    assert reason in answer.text
    assert 'class="button main" href="/">My assignments' in answer.text
    assert "Sign out" in answer.text


def test_an_internal_error_is_a_finished_page_without_details(site, monkeypatch):
    def fail(*_arguments, **_options):
        raise ZeroDivisionError("a secret")

    anna = site.visitor("anna")
    monkeypatch.setattr(site_routes, "list_assignments", fail)
    answer = anna.get("/")
    assert answer.status_code == 500
    assert "<h1>Something went wrong</h1>" in answer.text
    assert "Nothing that was saved is lost." in answer.text
    assert "a secret" not in answer.text


def test_a_wrong_token_changes_nothing_and_says_how_to_go_on(site):
    olga = site.visitor("olga")
    answer = olga.http.post("/organiser/users", data={"csrf": "guess", "name": "gina", "role": "assessor"})
    assert answer.status_code == 403
    assert "<h1>This page was open for too long</h1>" in answer.text
    assert "gina" not in olga.get("/organiser/users").text


def test_a_form_without_a_session_leads_to_the_sign_in(site):
    answer = site.visitor().http.post("/password", data={"old": "x", "new": "y"})
    assert answer.status_code == 401
    assert "<h1>You are no longer signed in</h1>" in answer.text
    assert 'class="button main" href="/sign-in"' in answer.text


def test_too_many_wrong_passwords_are_refused_at_the_form(site):
    anna = site.visitor("anna")
    answers = [anna.form("/password", old=f"wrong {number}", new="another long one") for number in range(7)]
    assert [answer.status_code for answer in answers] == [403] * 5 + [429] * 2
    assert all("Change my password" in answer.text for answer in answers)
    assert "too many failed attempts" in answers[-1].text
