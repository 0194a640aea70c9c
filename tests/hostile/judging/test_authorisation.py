"""Access rights: one table of all endpoints and callers, compared with the server's answers."""

from dataclasses import dataclass

import pytest

from doxel.assess.web.server import ENDPOINTS

# Who may call what: by the declared level, and by who calls.  anna owns assignment 1 of topic 1; ben has
# topic 1 too and has not finished it; carl has finished his assignment of topic 1; dora has no assignment;
# eve is disabled.
PEOPLE = ("nobody", "dora", "ben", "carl", "anna", "olga", "eve")
ALLOWED = {
    "anyone": set(PEOPLE),
    "user": {"dora", "ben", "carl", "anna", "olga"},
    "reader": {"carl", "anna", "olga"},
    "owner": {"anna"},
    "finisher": {"carl", "olga"},
    "organiser": {"olga"},
}

# The whole interface, written down by hand: a new endpoint fails here until somebody has thought about it.
EXPECTED = {
    "GET /api/health": "anyone",
    "POST /api/session": "anyone",
    "GET /api/session": "user",
    "DELETE /api/session": "user",
    "POST /api/password": "user",
    "GET /api/assignments": "user",
    "GET /api/assignments/{assignment:int}": "reader",
    "POST /api/assignments/{assignment:int}/events": "owner",
    "GET /api/assignments/{assignment:int}/documents/{doc:path}": "reader",
    "GET /api/assignments/{assignment:int}/states/{doc:path}": "reader",
    "GET /api/assignments/{assignment:int}/events/{doc:path}": "reader",
    "GET /api/assignments/{assignment:int}/pooled/{doc:path}": "reader",
    "GET /api/styles": "user",
    "GET /api/users": "organiser",
    "POST /api/users": "organiser",
    "POST /api/users/{user:int}/password": "organiser",
    "POST /api/users/{user:int}/disabled": "organiser",
    "DELETE /api/users/{user:int}/sessions": "organiser",
    "POST /api/assignments": "organiser",
    "POST /api/assignments/{assignment:int}/locked": "organiser",
    "POST /api/assignments/{assignment:int}/official": "organiser",
    "POST /api/assignments/{assignment:int}/hand-over": "organiser",
    "GET /api/topics/{topic:path}/compare": "finisher",
    "GET /api/topics/{topic:path}/agreement": "finisher",
    "GET /topics/{topic:path}/compare": "finisher",
    "GET /api/assignments/{assignment:int}/sources/{doc:path}": "reader",
    "POST /api/assignments/{assignment:int}/sign-off": "owner",
    "POST /api/topics/{topic:path}/adjudications": "organiser",
    "POST /topics/{topic:path}/adjudications": "organiser",
    "POST /topics/{topic:path}/lock": "organiser",
    "GET /api/notes": "organiser",
    "GET /organiser/notes": "organiser",
    "GET /api/progress": "organiser",
    "GET /api/audit": "organiser",
    "GET /api/export": "organiser",
    "GET /": "user",
    "GET /sign-in": "anyone",
    "POST /sign-in": "anyone",
    "POST /sign-out": "user",
    "POST /password": "user",
    "GET /assignments/{assignment:int}": "reader",
    "GET /help": "anyone",
    "GET /static/{name:path}": "anyone",
    "GET /assignments/{assignment:int}/documents/{doc:path}": "reader",
    "GET /assignments/{assignment:int}/forms/{doc:path}": "reader",
    "POST /assignments/{assignment:int}/forms/{doc:path}": "owner",
    "GET /organiser": "organiser",
    "POST /organiser/assignments": "organiser",
    "POST /organiser/assignments/{assignment:int}": "organiser",
    "GET /organiser/users": "organiser",
    "POST /organiser/users": "organiser",
    "POST /organiser/users/{user:int}": "organiser",
    "GET /organiser/audit": "organiser",
    "GET /api/assignments/{assignment:int}/list": "reader",
    "GET /api/assignments/{assignment:int}/following": "reader",
    "GET /assignments/{assignment:int}/continue": "reader",
    "DELETE /api/users/{user:int}": "organiser",
    "POST /api/users/{user:int}/invitation": "organiser",
    "POST /api/invitations": "organiser",
    "GET /organiser/assign": "organiser",
    "POST /organiser/assign": "organiser",
    "POST /organiser/locks": "organiser",
    "GET /organiser/export": "organiser",
    "POST /api/plans": "organiser",
    "GET /organiser/campaign": "organiser",
    "POST /organiser/campaign": "organiser",
    "GET /api/campaign": "organiser",
    "POST /api/campaign": "organiser",
    "GET /guidelines": "user",
    "POST /guidelines": "user",
    # the token in the address is the right to it
    "GET /set-up/{token}": "anyone",
    "POST /set-up/{token}": "anyone",
    "GET /invitations/{token}": "anyone",
    "POST /invitations/{token}": "anyone",
    # old addresses only redirect; the new address checks the caller
    "GET /api/pools": "anyone",
    "POST /api/pools": "anyone",
    "GET /api/pools/{rest:path}": "anyone",
    "POST /api/pools/{rest:path}": "anyone",
    "GET /organiser/pools": "anyone",
    "POST /organiser/pools": "anyone",
    "GET /organiser/pools/{rest:path}": "anyone",
    "POST /organiser/pools/{rest:path}": "anyone",
    "GET /pools/{rest:path}": "anyone",
    "POST /pools/{rest:path}": "anyone",
}


def named(endpoint):
    return f"{endpoint.method} {endpoint.path}"


def test_the_endpoints_match_the_reviewed_table():
    assert {named(endpoint): endpoint.who for endpoint in ENDPOINTS} == EXPECTED


def test_endpoints_that_change_data_do_not_use_get():
    assert {endpoint.method for endpoint in ENDPOINTS} == {"GET", "POST", "DELETE"}
    assert all(endpoint.changes == (endpoint.method != "GET") for endpoint in ENDPOINTS)


@dataclass
class Called:
    status: int
    code: str


def call(visitor, endpoint):
    """Call an endpoint with an invalid body, so that only the access check decides how far it gets."""
    values = {"assignment:int": 1, "user:int": 99, "topic:path": 1, "doc:path": "apples", "rest:path": 1}
    path = endpoint.path.replace("{name:path}", "style.css").replace("{token}", "guess")
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", str(value))
    headers = {"x-csrf-token": visitor.csrf} if visitor.csrf else {}
    if endpoint.method == "POST" and not endpoint.is_api:
        answer = visitor.http.post(path, data={"csrf": visitor.csrf or ""})
    elif endpoint.method == "POST":
        answer = visitor.http.post(path, json={"nonsense": 1}, headers=headers)
    else:
        answer = visitor.http.request(endpoint.method, path, headers=headers)
    code = answer.json()["error"]["code"] if endpoint.is_api and answer.status_code >= 400 else ""
    return Called(answer.status_code, code)


@pytest.fixture
def people(site, event):
    """All callers of the table, signed in where they can."""
    olga = site.visitor("olga")
    for name in ("dora", "eve"):
        olga.post("/api/users", {"name": name, "password": "a long password", "role": "assessor"})
    olga.post("/api/assignments", {"topic": "1", "assessor": "carl", "scale": "2006"})
    carl = site.visitor("carl")
    finished = carl.send(3, event(1, "validate", {}), event(2, "validate", {}, doc="pears"))
    assert finished.status_code == 200
    eve = site.visitor().sign_in("eve", "a long password")
    users = {user["name"]: user["id"] for user in olga.get("/api/users").json()["users"]}
    olga.post(f"/api/users/{users['eve']}/disabled", {"disabled": True})
    return {
        "nobody": site.visitor(),
        "dora": site.visitor().sign_in("dora", "a long password"),
        "ben": site.visitor("ben"),
        "carl": carl,
        "anna": site.visitor("anna"),
        "olga": olga,
        "eve": eve,
    }


def refused_by_guard(endpoint, called, name):
    """Return whether the access check refused a call, and check the form of the refusal."""
    if name in {"nobody", "eve"}:
        if called.status == 303 and not endpoint.is_api and not endpoint.changes:
            return True  # a page sends to the sign-in
        if called.status == 401:
            assert called.code in {"", "not-signed-in"}
            return True
        return False
    return called.status == 403 and called.code in {"", "forbidden"}


def test_every_endpoint_for_everyone(people):
    ends = {"DELETE /api/session", "POST /sign-out"}  # tried last: after it, nobody is signed in
    wrong = []
    for endpoint in sorted(ENDPOINTS, key=lambda route: named(route) in ends):
        for name in PEOPLE:
            if named(endpoint) == "POST /sign-out" and name not in {"nobody", "eve"}:
                continue  # the session has ended by DELETE
            if endpoint.who == "anyone" and endpoint.changes:
                continue  # signing in, or a redirect: see test_endpoints and test_site_routes
            refused = refused_by_guard(endpoint, call(people[name], endpoint), name)
            if refused == (name in ALLOWED[endpoint.who]):
                wrong.append(f"{named(endpoint)}: {name} was {'refused' if refused else 'let in'}")
    assert wrong == []


def test_finishers_see_pooled_parts_only_after_the_assessor_has_seen_them(people):
    """Finishing a topic gives access to the work of others, but to pooled parts only after their assessor."""
    assert people["carl"].get("/api/assignments/1/pooled/apples").json()["error"]["code"] == "not-shown"
    assert people["olga"].get("/api/assignments/1/pooled/apples").status_code == 200
