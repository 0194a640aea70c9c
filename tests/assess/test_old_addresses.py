"""The addresses of version 1.0 lead to those of today, with method, body and query."""

import pytest

from doxel.assess.web.routes.site_routes import OLD_ADDRESS_ENDPOINTS


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough, because redirects do not depend on its kind."""
    return new_database[request.param]()


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
