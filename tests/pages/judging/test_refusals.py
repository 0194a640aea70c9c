"""Refused events are set aside with the reason, and do not block other events."""

import json

import pytest

from doxel.assess.web.service import ServerSettings
from doxel.assess.web.static_files import make_static_address
from pages.judging.work import Worker, logged, stored_state, working, working_site

NAMES = "locked outside bad-note undone failing busy foreign proxy taken spans text"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with working_site(tmp_path_factory.mktemp("refusals"), NAMES.split()) as new_site:
        yield new_site


@pytest.fixture
def lock(site):
    olga = site.visitor("olga")
    yield lambda locked: olga.post("/api/assignments/1/locked", {"locked": locked})
    olga.post("/api/assignments/1/locked", {"locked": False})


def refusals(worker):
    return [(event["kind"], event["refusal"]["code"]) for event in worker.status["refused"]]


def test_events_refused_by_a_locked_assignment_are_set_aside(chromium, site, lock):
    with working(chromium, site, "locked") as worker:
        worker.highlight(0, 6)
        worker.saves()
        lock(True)
        worker.highlight(10, 20)
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(worker) == [("highlight", "locked")]
        assert worker.status["refused"][0]["refusal"]["message"] == "the assignment is locked"
        worker.run("await work.journal.refresh()")
        assert worker.state == stored_state(site, "locked")
        # the refused step is not undone, but the one before it
        assert worker.run("return (await work.journal.undo()).map(({body}) => body)") == [{"spans": [[0, 6]]}]
        worker.until("status.refused.length === 2")
        lock(False)
        worker.page.reload()  # and it is still there afterwards
        worker.begin()
        assert refusals(worker) == [("highlight", "locked"), ("unhighlight", "locked")]
        worker.highlight(30, 31)
        worker.until("status.kind === 'refused' && status.waiting === 0")
        worker.run("await work.outbox.dismiss([work.outbox.status.refused[1]])")
        worker.run("await work.outbox.retry(work.outbox.status.refused)")
        assert worker.saves()["highlights"] == [[0, 6], [10, 20], [30, 31]]
        worker.page.reload()
        assert worker.begin().status["refused"] == []
        assert stored_state(site, "locked") == worker.state


def test_an_event_refused_among_others_is_set_aside(chromium, site):
    with working(chromium, site, "outside") as worker:
        worker.network("cut")
        worker.highlight(0, 6)
        worker.highlight(40, 4000)
        worker.act(("bep", {"position": 2}))
        worker.act(("validate", {}))
        worker.until("status.waiting === 4")
        worker.network("open")
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(worker) == [("highlight", "outside")]
        worker.run("await work.journal.refresh()")
        assert worker.state == stored_state(site, "outside")
        assert worker.state["validated"]


def test_events_on_another_text_are_set_aside(chromium, site):
    """Marks on an old text are not shown on the text that the server has now."""
    with working(chromium, site, "text") as worker:
        worker.network("cut")
        worker.run("work.journal.fingerprint = 'another'; await work.journal.act('bep', {position: 3});")
        assert worker.state["bep"] == 3
        worker.page.reload()
        worker.begin()
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(worker) == [("bep", "other-text")]
        assert worker.state["bep"] is None
        assert worker.page.evaluate("work.statuses.length > 0 && work.journal.fingerprint !== 'another'")


def test_a_refused_step_cannot_be_undone(chromium, site):
    with working(chromium, site, "undone") as worker:
        worker.highlight(0, 6)
        worker.act(("validate", {}))
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(worker) == [("validate", "not-done")]
        assert not worker.state["validated"]
        assert worker.run("return (await work.journal.undo()).map(({kind}) => kind)") == ["unhighlight"]
        assert worker.run("return [work.journal.canUndo, work.journal.canRedo]") == [False, True]


def test_an_invalid_event_among_others_is_set_aside(chromium, site):
    """The server refuses the whole batch; the invalid event is found, and the others are sent."""
    with working(chromium, site, "bad-note") as worker:
        worker.network("cut")
        for at in range(9):
            worker.highlight(at * 4, at * 4 + 2)
        worker.act(("note", {"text": "x" * 10_001}))
        worker.act(("bep", {"position": 4}))
        worker.until("status.waiting === 11")
        worker.network("open")
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(worker) == [("note", "bad-request")]
        assert "at most 10,000 characters" in worker.status["refused"][0]["refusal"]["message"]
        assert [event["kind"] for event in logged(site, "bad-note")] == [*["highlight"] * 9, "bep"]


FAILURE = {
    "status": 500,
    "body": json.dumps({"error": {"code": "failed", "message": "something went wrong"}}),
}


def test_an_event_that_makes_the_server_fail_does_not_block_others(chromium, site):
    with working(chromium, site, "failing") as worker:
        worker.answers(*[FAILURE] * 5)
        worker.highlight(0, 6)
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(worker) == [("highlight", "failed")]
        worker.highlight(10, 12)
        worker.until("status.kind === 'refused' && status.waiting === 0")
        worker.run("await work.outbox.retry(work.outbox.status.refused)")
        assert worker.saves()["highlights"] == [[0, 6], [10, 12]]


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_of_a_busy_server_is_respected(chromium, site, status):
    with working(chromium, site, "busy") as worker:
        worker.answers({"status": status, "headers": {"retry-after": "1"}})
        before = worker.page.evaluate("performance.now()")
        worker.act(("note", {"text": f"{status} a"}))
        worker.until("status.kind === 'offline'")
        worker.act(("note", {"text": f"{status} b"}))
        assert worker.saves()["note"] == f"{status} b"
        assert worker.page.evaluate("performance.now()") - before >= 1000


def test_error_pages_of_a_proxy_are_retried(chromium, site):
    with working(chromium, site, "proxy") as worker:
        html = {"body": "<h1>Bad Gateway</h1>", "headers": {"content-type": "text/html"}}
        worker.answers({"status": 502, **html}, {"status": 200, **html}, {"status": 413, **html})
        worker.highlight(0, 6)
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert worker.page.evaluate("work.statuses.map(({kind}) => kind)").count("offline") >= 1
        assert worker.status["refused"][0]["refusal"]["code"] == "failed"  # alone, and still too large: aside
        worker.run("await work.outbox.retry(work.outbox.status.refused)")
        assert worker.saves()["highlights"] == [[0, 6]]


def test_an_event_missing_from_the_answer_stays_unsent(chromium, site):
    with working(chromium, site, "foreign") as worker:
        worker.answers({"status": 200, "body": '{"results": []}'}, {"status": 200, "body": "{}"})
        worker.highlight(0, 6)
        assert worker.saves()["highlights"] == [[0, 6]]
        assert len(logged(site, "foreign")) == 1


def test_large_batches_are_split(chromium, tmp_path):
    settings = ServerSettings(most_bytes=4_000, most_events=7)
    with (
        working_site(tmp_path, ["small"], settings=settings) as site,
        working(chromium, site, "small") as worker,
    ):
        worker.network("cut")
        for at in range(30):
            worker.act(("bep", {"position": at}))
        worker.act(("note", {"text": "🍏" * 600}))
        worker.act(("note", {"text": "🍏" * 2_000}))  # by itself more than the server takes
        worker.act(("bep", {"position": 40}))
        worker.until("status.waiting === 33")
        worker.network("open")
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(worker) == [("note", "too-large")]
        positions = [event["body"].get("position") for event in logged(site, "small")]
        assert positions == [*range(30), None, 40]


def test_many_spans_are_split_into_several_events(chromium, site):
    """The server accepts a thousand spans per event."""
    with working(chromium, site, "spans") as worker:
        assert worker.run(
            """const {prepareEvents} = await import(given);
               const spans = Array.from({length: 2500}, (_, at) => [2 * at, 2 * at + 1]);
               const found = prepareEvents([{kind: 'highlight', body: {spans}}]);
               return found.map(({body}) => body.spans.length);""",
            make_static_address("work/event_journal.js"),
        ) == [1000, 1000, 500]


def test_events_for_an_assignment_of_somebody_else_are_set_aside(chromium, site):
    """Events for an assignment that belongs to somebody else now are set aside, not sent forever."""
    with working(chromium, site, "taken") as worker:
        forbidden = {"error": {"code": "forbidden", "message": "this assignment is not yours"}}
        worker.answers({"status": 403, "body": json.dumps(forbidden)})
        worker.highlight(0, 6)
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(worker) == [("highlight", "forbidden")]
        other = Worker(worker.page.context.new_page(), "taken")
        other.page.goto(f"{site.address}/api/health")
        assert refusals(other.begin()) == [("highlight", "forbidden")]
        other.run("await work.outbox.dismiss(work.outbox.status.refused)")
        worker.until("status.kind === 'saved' && status.refused.length === 0")
