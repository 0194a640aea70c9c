"""Home shows what to do next, error pages lead on, and addresses of version 1.0 lead to those of today."""

import re

import pytest

from assess.plain_pages import words
from assess.site_fixtures import PASSWORD
from doxel.assess.office.work_plan import PlanRequest, apply_plan, make_plan
from doxel.assess.web.routes import site_routes
from doxel.assess.web.routes.site_routes import OLD_ADDRESS_ENDPOINTS


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


def test_organisers_see_the_campaign_and_its_notices_at_home(site):
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
    assert "No document matches." in answer.text
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


def test_a_wrong_token_changes_nothing_and_shows_how_to_continue(site):
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


OLD_ADDRESSES = [
    ("GET", "/api/pools", "/api/assignments"),
    ("GET", "/api/pools/1", "/api/assignments/1"),
    ("POST", "/api/pools/1/events", "/api/assignments/1/events"),
    ("GET", "/api/pools/1/documents/apples", "/api/assignments/1/documents/apples"),
    ("GET", "/api/pools/1/states/apples", "/api/assignments/1/states/apples"),
    ("GET", "/api/pools/1/events/apples?after=7", "/api/assignments/1/events/apples?after=7"),
    ("GET", "/api/pools/1/pooled/apples", "/api/assignments/1/pooled/apples"),
    ("POST", "/api/pools", "/api/assignments"),
    ("POST", "/api/pools/1/locked", "/api/assignments/1/locked"),
    ("POST", "/api/pools/1/official", "/api/assignments/1/official"),
    ("POST", "/api/pools/1/hand-over", "/api/assignments/1/hand-over"),
    ("GET", "/pools/1", "/assignments/1"),
    ("GET", "/pools/1/documents/a%20b", "/assignments/1/documents/a%20b"),
    ("GET", "/pools/1/documents/a%2Fb%3Fc%23d%25", "/assignments/1/documents/a/b%3Fc%23d%25"),
    ("GET", "/pools/1/forms/%C3%A9?x=%26%3D%C3%A9&y=", "/assignments/1/forms/%C3%A9?x=%26%3D%C3%A9&y="),
    ("POST", "/pools/1/forms/apples", "/assignments/1/forms/apples"),
    ("POST", "/organiser/pools", "/organiser/assignments"),
    ("POST", "/organiser/pools/1", "/organiser/assignments/1"),
    ("GET", "/pools//elsewhere.example", "/assignments//elsewhere.example"),
]


def test_every_old_address_is_redirected(site):
    visitor = site.visitor()
    for method, old, new in OLD_ADDRESSES:
        answer = visitor.http.request(method, old)
        assert (answer.status_code, answer.headers["location"]) == (308, new), old
        assert answer.headers["cache-control"] == "no-store"


def test_a_redirect_reveals_and_changes_nothing_by_itself(site, event):
    visitor = site.visitor()
    visitor.http.follow_redirects = True
    assert visitor.get("/api/pools/1").status_code == 401
    assert visitor.send(1, event(1)).status_code == 401
    anna = site.visitor("anna")
    for endpoint in OLD_ADDRESS_ENDPOINTS:
        if endpoint.changes:
            path = endpoint.path.replace("{rest:path}", "1")
            answer = anna.http.post(path, headers={"origin": "https://evil.example"})
            assert answer.status_code == 403, path


def test_a_page_of_version_1_goes_on_sending_events(site, event):
    anna = site.visitor("anna")
    anna.http.follow_redirects = True
    sent = anna.post("/api/pools/1/events", {"events": [event(1), event(2, "note", {"text": "ripe 🍏"})]})
    assert [result["status"] for result in sent.json()["results"]] == ["stored", "stored"]
    again = anna.post("/api/assignments/1/events", {"events": [event(1)]})
    assert [result["status"] for result in again.json()["results"]] == ["known"]
    assert anna.get("/api/pools/1/states/apples").json()["state"]["note"] == "ripe 🍏"
    (later,) = anna.get("/api/pools/1/events/apples?after=1").json()["events"]
    assert later["kind"] == "note"
    anna.csrf = "wrong"
    assert anna.post("/api/pools/1/events", {"events": [event(3)]}).status_code == 403


def test_a_form_of_version_1_can_still_be_sent(site):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    for visitor in (anna, olga):
        visitor.http.follow_redirects = True
    page = anna.form("/pools/1/forms/apples", action="note", text="from a form")
    assert (page.status_code, page.url.path) == (200, "/assignments/1/forms/apples")
    assert anna.get("/api/assignments/1/states/apples").json()["state"]["note"] == "from a form"
    assert olga.form("/organiser/pools/1", action="lock").status_code == 200
    assert anna.get("/api/assignments/1").json()["locked"]


def test_an_error_page_shows_who_is_signed_in(enter):
    page = enter("anna").get("/organiser")
    assert page.status_code == 403
    assert "Sign out" in page.text


def test_finishers_can_compare_from_the_assignments_of_others(enter, site, event):
    anna, ben = enter("anna"), enter("ben")
    ben_done = [event(1, "validate", {}), event(2, "validate", {}, doc="pears")]
    assert "compare" not in words(ben.get("/assignments/2"))
    assert site.visitor("ben").send(2, *ben_done).status_code == 200
    for address in ("/assignments/2", "/assignments/1"):
        assert "compare" in words(ben.get(address))
    assert "compare" not in words(anna.get("/assignments/1"))


def test_users_change_their_password_and_sign_out_with_forms(enter):
    anna, ben = enter("anna"), enter("ben")
    answer = anna.form("/password", old=PASSWORD, new="another password")
    assert answer.headers["location"] == "/sign-in"
    assert anna.get("/").status_code == 303
    assert ben.form("/sign-out").headers["location"] == "/sign-in"
    assert ben.get("/").status_code == 303
