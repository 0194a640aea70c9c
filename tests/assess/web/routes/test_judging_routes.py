"""The judging page and its API: work is read and sent, and errors are reported; on both databases."""

import pytest

from assess.plain_pages import tree
from doxel.assess.store.database import open_store
from doxel.assess.store.event_log import read_state


def judge(visitor, event, assignment=1):
    """Finish the assignment of topic 1."""
    return visitor.send(
        assignment,
        event(1),
        event(2, "bep", {"position": 0}),
        event(3, "validate", {}),
        event(4, "validate", {}, doc="pears"),
    )


def paths(elements):
    """Build the paths of elements from parents, tags and ordinals."""
    element_paths = []
    for label, ordinal, parent in zip(
        elements["label"], elements["ordinal"], elements["parent"], strict=True
    ):
        element_paths.append(
            f"{element_paths[parent] if parent >= 0 else ''}/{elements['labels'][label]}[{ordinal}]"
        )
    return element_paths


def test_an_assessor_judges_a_document(site, event, database, library):
    anna = site.visitor("anna")
    (assignment,) = anna.get("/api/assignments").json()["assignments"]
    assert (assignment["topic"], assignment["documents"], assignment["validated"]) == ("1", 2, 0)
    details = anna.get(f"/api/assignments/{assignment['id']}").json()
    assert details["listed"] == [
        {"doc": "apples", "status": "untouched"},
        {"doc": "pears", "status": "untouched"},
    ]
    assert details["topic_fields"]["title"] == "ripe fruit"
    scale = {"name": "2006", "highlights": True, "entry_point": True, "grades": {}, "degree": None}
    assert details["scale"] == scale
    assert details["snapping"] == "word"
    document = anna.get("/api/assignments/1/documents/apples").json()
    assert document["text"] == "ApplesRed apples are ripe.Green ones are not.Pears are no apples 🍏."
    assert document["characters"] == len(document["text"])
    assert paths(document["elements"]) == library.outline("apples").path
    assert document["elements"]["start"] == library.outline("apples").start.tolist()
    assert document["elements"]["end"] == library.outline("apples").end.tolist()
    answer = anna.send(1, event(1, body={"spans": [[6, 26]]}), event(2, "bep", {"position": 6}))
    assert answer.status_code == 200
    assert [result["status"] for result in answer.json()["results"]] == ["stored", "stored"]
    document_state = anna.get("/api/assignments/1/states/apples").json()
    assert document_state["state"]["highlights"] == [[6, 26]]
    assert (document_state["seq"], document_state["breaches"]) == (2, [])
    events = anna.get("/api/assignments/1/events/apples?after=1").json()["events"]
    assert [(row["seq"], row["kind"]) for row in events] == [(2, "bep")]
    other = open_store(database)
    with other.read() as connection:  # acknowledged events are visible to everyone
        assert read_state(connection, 1, "apples")[0].bep == 6
    other.close()


def test_sending_again_is_harmless(site, event):
    anna = site.visitor("anna")
    first = anna.send(1, event(1)).json()["results"]
    again = anna.send(1, event(1), event(2, "note", {"text": "hm"})).json()["results"]
    assert again[0] == {**first[0], "status": "known"}
    assert again[1]["status"] == "stored"


def test_a_refused_event_is_reported_with_all_others(site, event):
    answer = site.visitor("anna").send(
        1, event(1), event(2, "validate", {}), event(3, "bep", {"position": 0})
    )
    assert answer.status_code == 409
    error = answer.json()["error"]
    assert error["code"] == "not-done"
    assert [result["status"] for result in error["details"]["results"]] == ["stored", "refused", "stored"]


def test_the_state_lists_broken_rules(site, event):
    anna = site.visitor("anna")
    anna.send(1, event(1))
    (breach,) = anna.get("/api/assignments/1/states/apples").json()["breaches"]
    assert breach["code"] == "bep-missing"


def test_pooled_parts_are_shown_on_request_and_without_ranks(site, event):
    anna = site.visitor("anna")
    refused = anna.get("/api/assignments/1/pooled/apples")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not-shown")
    anna.send(1, event(1, "show", {"pooled": True}))
    parts = anna.get("/api/assignments/1/pooled/apples").json()["parts"]
    assert parts == [
        {"path": "/article[1]/sec[1]", "start": 6, "end": 45},
        {"path": None, "start": 10, "end": 16},
    ]
    assert anna.get("/api/assignments/1/states/apples").json()["state"]["pooled_shown"]


def test_the_work_of_others_is_hidden_until_the_own_assignment_is_finished(site, event):
    anna, ben = site.visitor("anna"), site.visitor("ben")
    assert judge(anna, event).status_code == 200
    paths = [
        "/api/assignments/1",
        "/api/assignments/1/states/apples",
        "/api/assignments/1/events/apples",
        "/assignments/1",
    ]
    assert [ben.get(path).status_code for path in paths] == [403] * 4
    assert judge(ben, event, assignment=2).status_code == 200
    assert [ben.get(path).status_code for path in paths] == [200] * 4
    ben.send(2, event(9, "reopen", {}))  # not finished any more
    assert ben.get("/api/assignments/1").status_code == 403


def test_a_locked_assignment_refuses_events(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    assert olga.post("/api/assignments/1/locked", {"locked": True}).status_code == 204
    answer = anna.send(1, event(1))
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "locked")
    olga.post("/api/assignments/1/locked", {"locked": False})
    assert anna.send(1, event(1)).status_code == 200


def test_an_assignment_gives_the_unit_to_which_selections_snap(site):
    olga = site.visitor("olga")
    data = {"topic": "2", "assessor": "carl", "scale": "2005", "snapping": "sentence"}
    assert olga.post("/api/assignments", data).json() == {"id": 3}
    answer = site.visitor("carl").get("/api/assignments/3").json()
    assert answer["snapping"] == "sentence"
    grades = {"exhaustivity": ["0", "?", "1", "2"]}
    wanted = {"name": "2005", "highlights": True, "entry_point": False, "grades": grades}
    assert answer["scale"] == {**wanted, "degree": "exhaustivity"}


def test_the_live_export_names_text_rule_and_fingerprint(site, event, library):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    refused = olga.get("/api/export?format=qrels")
    assert refused.status_code == 400
    assert "documents that are done" in refused.json()["error"]["message"]
    judge(anna, event)
    answer = olga.get("/api/export?format=qrels")
    assert answer.text == "1 Q0 apples 6 67 0 0:6\n1 Q0 pears 0 21\n"
    assert answer.headers["x-doxel-fingerprint"] == library.fingerprint
    assert answer.headers["x-doxel-text-rule"] == library.text_rule
    assert (
        olga.get("/api/export?format=inex2002").json()["error"]["message"].startswith("inex2002 cannot hold")
    )


def test_invalid_events_are_refused_with_a_sentence(site, event):
    anna = site.visitor("anna")
    for data, message in (
        ({"events": []}, "1 to 500 events"),
        ({"events": [event(1)] * 501}, "1 to 500 events"),
        ({"events": [{**event(1), "kind": "paint"}]}, "the kind of an event"),
        ({"event": 1}, "an object with the keys events"),
    ):
        answer = anna.post("/api/assignments/1/events", data)
        assert answer.status_code == 400
        assert message in answer.json()["error"]["message"]
    assert anna.get("/api/assignments/1/events/apples?after=x").status_code == 400


def test_unknown_addresses_are_not_found(site):
    olga = site.visitor("olga")
    paths = [
        "/api/assignments/99",
        "/api/assignments/1/documents/plums",
        "/api/nothing",
        f"/api/assignments/{10**30}",
    ]
    for path in paths:
        answer = olga.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not-found")
    assert olga.post("/api/assignments/99/official").status_code == 404
    assert olga.post("/api/users/99/password", {"password": "a long password"}).status_code == 404
    assert olga.post("/api/health").json()["error"]["code"] == "wrong-method"
    assert olga.get("/nothing").status_code == 404
    assert site.visitor().get("/api/health").json() == {"status": "ok"}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_judging_page_has_its_data_and_links_to_the_forms(enter):
    anna, olga = enter("anna"), enter("olga")
    body = tree(anna.get("/assignments/1/documents/apples")).find("body")
    assert {name: value for name, value in body.attrib.items() if name != "class"} == {
        "data-user": "anna",
        "data-account": anna.get("/api/session").json()["account"],
        "data-csrf": anna.csrf,
        "data-assignment": "1",
        "data-doc": "apples",
        "data-mine": "yes",
        "data-parts": "hidden",
    }
    assert body.find(".//noscript//a").get("href") == "/assignments/1/forms/apples"
    assert tree(olga.get("/assignments/1/documents/apples")).find("body").get("data-mine") == "no"
    assert anna.get("/assignments/1/documents/plums").status_code == 404
