"""Requests that no client would send, to every endpoint and from everyone: never a failure of the server.

An error of the interface has one shape, nothing changes by GET, and what is refused changes nothing.
"""

import copy
import json
import os
import time
from collections import Counter
from random import Random
from urllib.parse import quote

import pytest
from sqlalchemy import select

from doxel.assess.store.backup import BACKUP_TABLES
from doxel.assess.web.server import ENDPOINTS
from fuzz.mutations import NASTY, mutate

PEOPLE = ("nobody", "ben", "anna", "olga")
REQUESTS = 100  # of each person, on each database: less than a second
SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))  # go on for this time, as 'make fuzz' does
SEED = os.environ.get("FUZZ_SEED", "")

# valid values, so that requests are wrong only here and there
EVENT = {
    "doc": "apples",
    "client": "c",
    "sequence": 1,
    "fingerprint": "",
    "kind": "note",
    "body": {"text": "a"},
}
SPANS = {**EVENT, "kind": "highlight", "body": {"spans": [[0, 5], [7, 9]]}}
DECISION = {
    **EVENT,
    "kind": "decide",
    "body": {"place": "0-5", "decision": "union"},
    "step": "s",
    "reverts": "r",
}
GRADE = {**EVENT, "kind": "grade", "body": {"path": "/article[1]", "grades": {"exhaustivity": "1"}}}
BODIES = {
    "POST /api/session": [{"name": "anna", "password": "wrong"}],
    "POST /api/password": [{"old": "wrong", "new": "another password"}],
    "POST /api/assignments/{assignment:int}/events": [
        {"events": [event]} for event in (EVENT, SPANS, GRADE, DECISION)
    ],
    "POST /api/users": [{"name": "fred", "password": "a long password", "role": "assessor"}],
    "POST /api/users/{user:int}/password": [{"password": "a long password"}],
    "POST /api/users/{user:int}/disabled": [{"disabled": False}],
    "POST /api/assignments": [{"topic": "1", "assessor": "carl", "scale": "2006", "snapping": "word"}],
    "POST /api/assignments/{assignment:int}/locked": [{"locked": True}],
    "POST /api/assignments/{assignment:int}/official": [{}],
    "POST /api/assignments/{assignment:int}/hand-over": [{"assessor": "ben", "with_work": True}],
    "POST /api/topics/{topic:path}/adjudications": [
        {"assignments": [1, 2], "assessor": "olga", "lock": True}
    ],
    "POST /topics/{topic:path}/adjudications": [{"source-1": "on", "source-2": "on", "assessor": "olga"}],
    "POST /sign-in": [{"name": "anna", "password": "wrong", "word": "x"}],
    "POST /password": [{"old": "wrong", "new": "another password"}],
    "POST /assignments/{assignment:int}/forms/{doc:path}": [
        {"action": "highlight", "start": "0", "end": "5"},
        {"action": "quote", "quote": "Red"},
        {"action": "grade", "path": "/article[1]", "exhaustivity": "1"},
        {"action": "note", "text": "a"},
        {"action": "bep", "path": "/article[1]"},
    ],
    "POST /organiser/assignments": [{"topic": "1", "assessor": "carl", "scale": "2006"}],
    "POST /organiser/assignments/{assignment:int}": [
        {"action": "lock"},
        {"action": "hand-over", "assessor": "ben"},
    ],
    "POST /organiser/users": [{"name": "fred", "password": "a long password", "role": "assessor"}],
    "POST /organiser/users/{user:int}": [
        {"action": "password", "password": "a long password"},
        {"action": "link"},
        {"action": "remove", "confirm": "yes"},
    ],
    "POST /api/invitations": [{"name": "gina", "role": "assessor"}],
    "POST /api/users/{user:int}/invitation": [{}],
    "POST /api/campaign": [{"name": "Spring", "guidelines": "# Fair"}],
    "POST /api/plans": [
        {"kind": "split", "topics": ["1", "2"], "people": ["anna", "carl"], "apply": True, "overlap": 1},
        {"kind": "level", "topics": ["1"], "people": ["carl"], "apply": True},
        {"kind": "whole", "topics": ["2"], "people": ["carl"], "apply": False, "scale": "2005"},
    ],
    "POST /organiser/assign": [
        {"action": "preview", "kind": "split", "topic": "1", "person": "carl", "overlap": "1"},
        {"action": "apply", "kind": "level", "topic": "1", "person": "carl", "digest": "x"},
    ],
    "POST /organiser/locks": [{"assignment": "1"}],
    "POST /organiser/campaign": [
        {"action": "name", "name": "Spring"},
        {"action": "documents", "file": "../.."},
        {"action": "topics", "file": "topics.xml"},
        {"action": "pool", "file": "/etc/passwd"},
        {"action": "guidelines", "guidelines": "<script>"},
    ],
    "POST /guidelines": [{"next": "//elsewhere.example"}],
    "POST /set-up/{token}": [{"name": "mallory", "password": "a long password", "word": "x"}],
    "POST /invitations/{token}": [{"password": "a long password", "word": "x"}],
}
VALUES = (
    *(None, True, -1, 0, 10**30, 1e308, 1 << 53, "", " ", "\ud800", "\0", "x" * 5000, [], {}, [[]], {"a": 1}),
    *("anna", "olga", "1", "2006", "word", "highlight", "é", "😀", "../..", "<script>", [1, 2], [[5, 1]]),
)
PLACES = {
    "assignment": ("1", "2", "0", "99999999999999999999", "007"),
    "rest": ("1", "1/events", "1/states/a\0b", "/elsewhere.example", "\r\nx: y", "é/😀", "", "x" * 5000),
    "user": ("1", "4", "0", "99999999999999999999"),
    "doc": (
        "apples",
        "pears",
        "nowhere",
        "../../etc/passwd",
        "a\0b",
        "x" * 5000,
        "é/😀",
        "apples/",
        "%2e%2e",
    ),
    "topic": ("1", "2", "nowhere", "a/b", "\0", "x" * 3000),
    "name": ("style.css", "../app.py", "..", "nowhere.js", "judge/../../app.py", "\0", "core", ""),
}
QUERIES = (
    "after",
    "before",
    "format",
    "lossy",
    "one",
    "other",
    "doc",
    "scale",
    "topic",
    "page",
    "q",
    "state",
    "sort",
)
HEADERS = {
    "content-type": (
        "application/json",
        "text/plain",
        "multipart/form-data",
        "application/json; charset=utf-7",
        "",
    ),
    "x-csrf-token": ("", "wrong", "x" * 5000),
    "origin": ("https://elsewhere.example", "null", ""),
    "cookie": ("session=x", "doxel=;;;=", "=" * 2000),
    "if-none-match": ("*", '"x"'),
    "range": ("bytes=0-", "bytes=9-1"),
    "accept": ("application/json", "*/*;q=nan"),
    "sec-fetch-site": ("cross-site",),
}


def named(endpoint):
    return f"{endpoint.method} {endpoint.path}"


def made_wrong(value, chance):
    """Return a copy of plain data with one value replaced or removed."""
    whole = {"whole": copy.deepcopy(value)}
    holder, key = whole, "whole"
    while holder[key] and isinstance(holder[key], dict | list) and chance.randrange(3):
        holder = holder[key]
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    if isinstance(holder, dict) and holder is not whole and chance.randrange(6) == 0:
        del holder[key]
    else:
        holder[key] = chance.choice(VALUES)
    return whole["whole"]


def address(endpoint, chance):
    """Return an address of an endpoint, possibly with values that do not exist."""
    path = endpoint.path
    for name, choices in PLACES.items():
        for kind in ("int", "path"):
            value = choices[0] if chance.randrange(3) else chance.choice(choices)
            path = path.replace(f"{{{name}:{kind}}}", quote(value, safe="/" if chance.randrange(2) else ""))
    parameters = [(chance.choice(QUERIES), chance.choice(NASTY)) for _ in range(chance.choice((0, 0, 1, 2)))]
    return path + (
        "?" + "&".join(f"{name}={quote(value)}" for name, value in parameters) if parameters else ""
    )


def content(endpoint, visitor, chance):
    """Return a body and its content type."""
    data = chance.choice(BODIES.get(named(endpoint), [{}]))
    data = made_wrong(data, chance) if chance.randrange(4) else data
    if endpoint.is_api:
        body, kind = json.dumps(data).encode(), "application/json"
    else:
        fields = {"csrf": visitor.csrf or "", **(data if isinstance(data, dict) else {"a": data})}
        pairs = (f"{quote(str(key))}={quote(str(value), errors='replace')}" for key, value in fields.items())
        body, kind = "&".join(pairs).encode(), "application/x-www-form-urlencoded"
    return (mutate(body, chance) if chance.randrange(5) == 0 else body), kind


def request(visitor, endpoint, chance):
    """Send something to an endpoint."""
    headers = {"x-csrf-token": visitor.csrf} if visitor.csrf else {}
    body = None
    if endpoint.method == "POST":
        body, headers["content-type"] = content(endpoint, visitor, chance)
    if chance.randrange(6) == 0:
        name = chance.choice(list(HEADERS))
        headers[name] = chance.choice(HEADERS[name])
    method = endpoint.method if chance.randrange(20) else chance.choice(("PUT", "HEAD", "PATCH", "OPTIONS"))
    path = address(endpoint, chance)
    return method, path, visitor.http.request(method, path, content=body, headers=headers)


def everything(store):
    """All rows except the audit log, which also records refusals, and the looks at the work of others."""
    with store.read() as connection:
        return {
            table.name: connection.execute(select(table).order_by(*table.primary_key.columns)).all()
            for table in BACKUP_TABLES
            if table.name not in {"audit", "looks"}
        }


# signing out would end the test early
CALLED = [
    endpoint for endpoint in ENDPOINTS if named(endpoint) not in {"DELETE /api/session", "POST /sign-out"}
]


@pytest.mark.parametrize("person", PEOPLE)
def test_no_request_makes_the_server_fail(site, campaign, person):
    visitor = site.visitor(None if person == "nobody" else person)
    chance = Random(person + SEED)
    before = everything(campaign)
    answers, end = Counter(), time.monotonic() + SECONDS
    while answers.total() < REQUESTS or time.monotonic() < end:
        endpoint = chance.choice(CALLED)
        method, path, answer = request(visitor, endpoint, chance)
        message = f"{method} {path} -> {answer.status_code}: {answer.text[:300]}"
        assert answer.status_code < 500, message
        answers[answer.status_code] += 1
        if endpoint.is_api and answer.status_code >= 400 and method != "HEAD":
            error = answer.json()["error"]
            assert set(error) <= {"code", "message", "details"}, message
            assert isinstance(error["code"], str), message
            assert isinstance(error["message"], str), message
        after = everything(campaign)
        may_change = method in {"POST", "DELETE"} and answer.status_code < 400
        assert may_change or after == before, message
        before = after
    assert site.visitor().get("/api/health").status_code == 200
    print(f"{person}: {answers.total():,} requests, answers by status: {dict(sorted(answers.items()))}")  # noqa: T201
