"""The interface of adjudications: begun by organisers, decided and signed off by the adjudicator."""

import pytest


@pytest.fixture
def judged(site, event):
    """anna and ben have done topic 1 and differ on apples; olga has begun an adjudication, assignment 3."""
    anna, ben, olga = (site.visitor(name) for name in ("anna", "ben", "olga"))
    for visitor, assignment, end in ((anna, 1, 6), (ben, 2, 9)):
        visitor.send(
            assignment,
            event(1, body={"spans": [[0, end]]}),
            event(2, "bep", {"position": 0}),
            event(3, "validate", {}),
            event(4, "validate", {}, doc="pears"),
        )
    answer = olga.post("/api/topics/1/adjudications", {"assignments": [1, 2], "assessor": "olga"})
    assert answer.json() == {
        "id": 3,
        "documents": 2,
        "agreed": 1,
        "notes": [],
        "taken_over": {},
    }
    return anna, ben, olga


def test_the_adjudicator_gets_all_marks_and_the_outcomes_to_choose_from(judged):
    olga = judged[2]
    sources = olga.get("/api/assignments/3/sources/apples").json()
    assert [(source["assessor"], source["state"]["highlights"]) for source in sources["sources"]] == [
        ("anna", [[0, 6]]),
        ("ben", [[0, 9]]),
    ]
    (difference,) = sources["differences"]
    assert (difference["place"], difference["about"]) == ("0-9", "the text from 0 to 9")
    assert difference["choices"]["intersection"] == [[0, 6]]
    assert olga.get("/api/assignments/3").json()["adjudicates"] == [1, 2]
    assert olga.get("/api/assignments/1").json()["adjudicates"] == []


def test_decisions_are_in_the_log_with_who_made_them_and_can_be_undone(judged, event):
    olga = judged[2]
    step = {"step": "s1"}
    sent = olga.send(
        3,
        {**event(1, body={"spans": [[6, 9]]}), **step},
        {**event(2, "decide", {"place": "0-9", "decision": "2"}), **step},
    )
    assert sent.status_code == 200
    undone = {"step": "s2", "reverts": "s1"}
    olga.send(
        3,
        {**event(3, "decide", {"place": "0-9", "decision": None}), **undone},
        {**event(4, "unhighlight", {"spans": [[6, 9]]}), **undone},
    )
    log = olga.get("/api/assignments/3/events/apples").json()["events"]
    assert [(entry["kind"], entry["step"], entry["reverts"]) for entry in log if not entry["is_copied"]] == [
        ("highlight", "s1", None),
        ("decide", "s1", None),
        ("decide", "s2", "s1"),
        ("unhighlight", "s2", "s1"),
    ]
    assert olga.get("/api/assignments/3/states/apples").json()["state"]["decisions"] == {}


def test_signing_off_makes_it_official(judged, event):
    anna, _, olga = judged
    early = olga.post("/api/assignments/3/sign-off")
    assert (early.status_code, early.json()["error"]["code"]) == (400, "bad-request")
    olga.send(3, event(1, "decide", {"place": "0-9", "decision": "1"}), event(2, "validate", {}))
    assert anna.post("/api/assignments/3/sign-off").status_code == 403
    assert olga.post("/api/assignments/3/sign-off").status_code == 204
    own = olga.get("/api/assignments/3").json()
    assert (own["official"], own["locked"]) == (True, True)


def test_the_assessor_learns_that_somebody_has_built_on_their_work(judged, event):
    anna, _, olga = judged
    assert anna.get("/api/assignments/1/events/apples").json()["adjudicated"] == []
    olga.send(3, event(1, "decide", {"place": "0-9", "decision": "1"}))
    (entry,) = anna.get("/api/assignments/1/events/apples").json()["adjudicated"]
    assert entry["assessor"] == "olga"


@pytest.mark.parametrize(
    "body",
    [
        {"assignments": [1], "assessor": "olga"},
        {"assignments": "1, 2", "assessor": "olga"},
        {"assignments": [1, True], "assessor": "olga"},
        {"assignments": [1, 99], "assessor": "olga"},
        {"assignments": [1, 2], "assessor": "nobody"},
        {"assignments": [1, 2], "assessor": "anna"},
        {"assignments": [1, 2], "assessor": "olga", "lock": "yes"},
        {"assignments": [1, 2]},
    ],
)
def test_bad_requests_are_refused_in_words(site, body):
    answer = site.visitor("olga").post("/api/topics/1/adjudications", body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-request")


def test_an_organiser_locks_and_begins_with_forms(site):
    olga = site.visitor("olga")
    assert "Lock all" in olga.get("/topics/1/compare").text
    locked = olga.form("/topics/1/lock")
    assert locked.headers["location"] == "/topics/1/compare"
    assert [item["locked"] for item in olga.get("/api/progress").json()["assignments"]] == [True, True]
    page = olga.get("/topics/1/compare").text
    assert "Lock all" not in page
    assert "Begin the adjudication" in page
    fields = {"source-1": "on", "source-2": "on", "assessor": "olga", "lock": "on"}
    begun = olga.form("/topics/1/adjudications", **fields)
    assert begun.headers["location"] == "/assignments/3"
    assert "Adjudication of olga" in olga.get("/topics/1/compare").text


def test_locking_and_beginning_are_confirmed_on_the_pages(site, event):
    site.visitor("anna").send(1, event(1, "validate", {}))
    olga = site.visitor("olga")
    answer = olga.form("/topics/1/lock")
    assert "All assignments of this topic are locked." in olga.get(answer.headers["location"]).text
    fields = {"source-1": "on", "source-2": "on", "assessor": "olga", "lock": "on"}
    answer = olga.form("/topics/1/adjudications", **fields)
    assert answer.headers["location"] == "/assignments/3"
    assert "The adjudication has begun: " in olga.get("/assignments/3").text


def test_a_refused_adjudication_is_shown_at_its_form_with_the_choices_kept(site):
    fields = {"source-2": "on", "assessor": "carl"}
    answer = site.visitor("olga").form("/topics/1/adjudications", **fields)
    assert answer.status_code == 400
    form = answer.text.partition('id="adjudicate-title"')[2]
    assert 'role="alert"' in form
    assert 'name="source-1">' in form
    assert 'name="source-2" checked' in form
    assert "<option selected>carl</option>" in form
    assert 'name="lock">' in form
