"""Attacks on requests and responses, each of which must fail; see also test_actions."""

import re

import httpx
import pytest
from sqlalchemy import select

from assess.site_fixtures import PASSWORD
from doxel.assess.store.database_schema import AUDIT, EVENTS, SESSIONS, USERS
from doxel.assess.web.endpoints import CONTENT_POLICY, SecurityHeaders
from doxel.assess.web.server import ENDPOINTS, ServerAddress, adapt_settings
from doxel.assess.web.service import ServerSettings
from doxel.assess.web.static_files import make_static_address


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def sign_in(visitor, name="anna", password=PASSWORD):
    return visitor.http.post("/api/session", json={"name": name, "password": password})


# Requests from elsewhere


CHANGING = [endpoint for endpoint in ENDPOINTS if endpoint.changes]


def filled(path):
    path = path.replace("{assignment:int}", "1").replace("{user:int}", "1")
    return path.replace("{doc:path}", "apples").replace("{name}", "style.css").replace("{rest:path}", "1")


def change(client, endpoint, headers=None, **form):
    if endpoint.is_api:
        return client.request(endpoint.method, filled(endpoint.path), json={}, headers=headers)
    return client.request(endpoint.method, filled(endpoint.path), data=form or {"a": "b"}, headers=headers)


def test_every_change_needs_the_csrf_token(site):
    olga = site.visitor("olga")
    for endpoint in CHANGING:
        if endpoint.who == "anyone":
            continue
        for headers in ({}, {"x-csrf-token": "wrong"}, {"x-csrf-token": ""}):
            answer = change(olga.http, endpoint, headers)
            assert answer.status_code == 403, endpoint
            if endpoint.is_api:
                assert answer.json()["error"]["code"] == "csrf"
    assert olga.get("/api/session").status_code == 200  # not even signed out


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_changes_from_another_site_are_refused_even_with_the_token(site, headers):
    olga = site.visitor("olga")
    for endpoint in CHANGING:
        answer = change(olga.http, endpoint, {**headers, "x-csrf-token": olga.csrf})
        assert answer.status_code == 403, endpoint
    assert olga.get("/api/session").status_code == 200


def test_a_form_of_another_site_cannot_sign_in(site):
    visitor = site.visitor()
    posted = visitor.http.post("/sign-in", data={"name": "anna", "password": PASSWORD, "word": "guess"})
    assert posted.status_code == 403
    as_form = visitor.http.post("/api/session", data={"name": "anna", "password": PASSWORD})
    assert (as_form.status_code, as_form.json()["error"]["code"]) == (415, "not-json")
    assert "doxel" not in visitor.http.cookies


def test_get_requests_change_nothing(site, event):
    """Call every address by GET and HEAD as an organiser: the database does not change."""
    olga = site.visitor("olga")
    site.visitor("anna").send(1, event(1))

    def everything():
        with site.service.store.read() as connection:
            return [connection.execute(select(table)).all() for table in (USERS, SESSIONS, EVENTS, AUDIT)]

    before = everything()
    for endpoint in ENDPOINTS:
        olga.http.get(filled(endpoint.path))
        olga.http.head(filled(endpoint.path))
        olga.http.get(
            filled(endpoint.path), params={"_method": "DELETE", "action": "lock", "csrf": olga.csrf}
        )
    assert everything() == before


# Input


HOSTILE = ["'; DROP TABLE events; --", '" OR 1=1 --', "%27%20OR%201=1", "\\x27", "1); DELETE FROM users; --"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_stored_as_text(site, event, text):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    assert anna.send(1, event(1, "note", {"text": text})).status_code == 200
    assert anna.get("/api/assignments/1/states/apples").json()["state"]["note"] == text
    assert sign_in(site.visitor(), text, text).status_code == 401
    assert olga.post("/api/assignments", {"topic": text, "assessor": text, "scale": text}).status_code == 400
    assert anna.get(f"/api/assignments/1/states/{text}").status_code == 404
    assert olga.get("/api/users").json()["users"]


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("/api/session", {"name": "\ud800", "password": "x"}),
        ("/api/assignments", {"topic": "\ud800", "assessor": "anna", "scale": "2006"}),
        ("/api/assignments", {"topic": "1", "assessor": "\0", "scale": "2006"}),
        ("/api/users", {"name": "e", "password": "a long password\ud800", "role": "assessor"}),
    ],
)
def test_text_that_cannot_be_stored_is_refused(site, path, data):
    """UTF-8 cannot encode half of a surrogate pair, though JSON can; PostgreSQL cannot store NUL."""
    answer = site.visitor("olga").post(path, data)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-request")


def test_invalid_names_of_grades_are_refused_with_a_short_message(site, event):
    olga, anna = site.visitor("olga"), site.visitor("anna")
    olga.post("/api/assignments", {"topic": "2", "assessor": "anna", "scale": "2003"})
    for name in ("\ud800", "x" * 100_000):
        body = {"path": "/article[1]", "grades": {name: "1"}}
        answer = anna.send(3, event(1, "grade", body, doc="plums"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-request")
        assert len(answer.text) < 500


class TestEitherDatabase:
    @pytest.fixture(params=["sqlite", "postgresql"])
    def database(self, request, new_database):
        return new_database[request.param]()

    def test_values_that_no_database_can_store_are_not_found(self, site):
        olga = site.visitor("olga")
        for path in (
            "/api/topics/%00/compare",
            "/api/assignments/1/states/%00",
            f"/api/assignments/{10**30}",
        ):
            assert olga.get(path).status_code == 404, path


def test_pages_escape_user_input(site, event):
    anna = site.visitor("anna")
    anna.send(1, event(1, "note", {"text": "</textarea><script>alert(1)</script>"}))
    html = anna.get("/assignments/1/forms/apples").text
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "Only fruit &lt;b&gt;that is ripe&lt;/b&gt;." in anna.get("/assignments/1").text


def test_large_requests_are_refused_with_or_without_declared_length(site):
    anna = site.visitor("anna")
    headers = {"x-csrf-token": anna.csrf, "content-type": "application/json"}
    most = site.service.settings.most_bytes
    large = b" " * (most + 1)
    declared = anna.http.post("/api/assignments/1/events", content=large, headers=headers)
    assert (declared.status_code, declared.json()["error"]["code"]) == (413, "too-large")

    def chunks():
        for _ in range(20):
            yield b" " * (most // 10)

    try:
        chunked = anna.http.post("/api/assignments/1/events", content=chunks(), headers=headers)
    except httpx.WriteError:
        return  # the server had hung up before everything was sent
    assert chunked.status_code == 413


def test_deeply_nested_json_is_refused(site):
    anna = site.visitor("anna")
    headers = {"x-csrf-token": anna.csrf, "content-type": "application/json"}
    answer = anna.http.post("/api/assignments/1/events", content=b"[" * 100_000, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-request")


# Responses


def test_every_response_has_the_security_headers(site):
    olga, nobody = site.visitor("olga"), site.visitor()
    answers = [
        visitor.http.get(filled(endpoint.path)) for endpoint in ENDPOINTS for visitor in (olga, nobody)
    ]
    answers += [
        nobody.get("/nothing"),
        nobody.get("/api/nothing"),
        nobody.http.post("/api/health"),
        nobody.http.post("/api/session", content=b" " * 2_000_000),
        nobody.http.get("/", headers={"host": "evil.example"}),
    ]
    assert {200, 303, 400, 401, 404, 405, 413} <= {answer.status_code for answer in answers}
    for answer in answers:
        assert answer.headers["content-security-policy"] == CONTENT_POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] in {"no-store", "no-cache"}
        assert "server" not in answer.headers


def test_the_content_policy_is_strict():
    rules = dict(rule.split(" ", 1) for rule in CONTENT_POLICY.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["frame-ancestors"] == "'none'"
    assert set(rules.values()) == {"'none'", "'self'"}


def test_pages_work_under_the_content_policy(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    anna.send(1, event(1), event(2, "bep", {"position": 3}))
    leftovers = make_static_address("work/leftovers.js")
    pages = [anna.get(path) for path in ("/", "/assignments/1", "/assignments/1/forms/apples")]
    pages += [olga.get(path) for path in ("/organiser", "/organiser/users", "/organiser/audit")]
    for page in pages:
        assert page.status_code == 200
        html = page.text.replace(f'<script type="module" src="{leftovers}"></script>', "")
        assert not re.search(r"<script|<style|\sstyle=|\son\w+=|javascript:|https?://", html)
    judge = anna.get("/assignments/1/documents/apples").text
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?://", judge)
    assert re.findall(r"<script.*?</script>", judge, re.DOTALL) == [
        f'<script type="module" src="{make_static_address("judge/judging_page.js")}"></script>'
    ]


def test_an_internal_error_has_the_usual_shape_and_reveals_nothing(site, monkeypatch, caplog):
    def broken():
        raise RuntimeError("a secret of the machine")

    anna = site.visitor("anna")
    monkeypatch.setattr(type(site.service.library), "find", lambda *_: broken())
    with caplog.at_level("CRITICAL"):
        answer = anna.get("/api/assignments/1/states/apples")
    assert answer.status_code == 500
    assert answer.json() == {"error": {"code": "failed", "message": "internal server error"}}
    page = anna.get("/assignments/1/forms/apples")
    assert page.status_code == 500
    assert "secret" not in page.text


def test_every_api_error_has_the_same_shape(site):
    olga, nobody = site.visitor("olga"), site.visitor()
    seen = 0
    for endpoint in ENDPOINTS:
        if not endpoint.is_api:
            continue
        for visitor in (olga, nobody):
            answer = change(visitor.http, endpoint)
            if answer.status_code >= 400:
                error = answer.json()["error"]
                assert set(answer.json()) == {"error"}
                assert {"code", "message"} <= set(error) <= {"code", "message", "details"}
                seen += 1
    assert seen > 25


def test_unknown_host_names_are_refused(site):
    """Otherwise a page could point its own host name here (DNS rebinding) and read the answers."""
    answer = site.visitor().http.get("/api/health", headers={"host": "evil.example:80"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown-host")


def test_ranks_and_runs_are_not_in_the_database(site, event, store):
    """Contributions of runs are not stored, so they cannot leak."""
    with store.read() as connection:
        from doxel.assess.store.database_schema import METADATA

        rows = [str(connection.execute(select(table)).all()) for table in METADATA.tables.values()]
    assert not any(word in row for row in rows for word in ("rank", "contribution", '"run"'))
    anna = site.visitor("anna")
    anna.send(1, event(1, "show", {"pooled": True}))
    parts = anna.get("/api/assignments/1/pooled/apples").json()["parts"]
    assert {key for part in parts for key in part} == {"path", "start", "end"}


def test_ipv6_addresses_in_brackets_are_accepted(site):
    assert site.visitor().get("/api/health", headers={"host": "[::1]:8080"}).status_code == 200
    settings = adapt_settings(ServerAddress(public="https://[2001:db8::1]:8443"), ServerSettings())
    guard = SecurityHeaders(lambda: None, settings)
    assert [guard._knows_host(host) for host in ("[2001:db8::1]:8443", "[2001:db8::1]", "[2001:db8::2]")] == [
        True,
        True,
        False,
    ]
