"""Refused events are set aside with the reason, and do not block other events."""

import json

import pytest

from assess.work import Worker, logged, stored_state, working, working_site
from doxel.assess.web.service import ServerSettings
from doxel.assess.web.static_files import make_static_address

NAMES = "locked outside bad-note undone failing busy foreign proxy taken spans text"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with working_site(tmp_path_factory.mktemp("refusals"), NAMES.split()) as found:
        yield found


@pytest.fixture
def lock(site):
    olga = site.visitor("olga")
    yield lambda locked: olga.post("/api/assignments/1/locked", {"locked": locked})
    olga.post("/api/assignments/1/locked", {"locked": False})


def refusals(worker):
    return [(one["kind"], one["refusal"]["code"]) for one in worker.status["refused"]]


def test_events_refused_by_a_locked_assignment_are_set_aside(chromium, site, lock):
    with working(chromium, site, "locked") as one:
        one.highlight(0, 6)
        one.saves()
        lock(True)
        one.highlight(10, 20)
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(one) == [("highlight", "locked")]
        assert one.status["refused"][0]["refusal"]["message"] == "the assignment is locked"
        one.run("await work.journal.refresh()")
        assert one.state == stored_state(site, "locked")
        # what never came to be cannot be undone; what did can
        assert one.run("return (await work.journal.undo()).map(({body}) => body)") == [{"spans": [[0, 6]]}]
        one.until("status.refused.length === 2")
        lock(False)
        one.page.reload()  # and it is still there afterwards
        one.begin()
        assert refusals(one) == [("highlight", "locked"), ("unhighlight", "locked")]
        one.highlight(30, 31)
        one.until("status.kind === 'refused' && status.waiting === 0")
        one.run("await work.outbox.dismiss([work.outbox.status.refused[1]])")
        one.run("await work.outbox.retry(work.outbox.status.refused)")
        assert one.saves()["highlights"] == [[0, 6], [10, 20], [30, 31]]
        one.page.reload()
        assert one.begin().status["refused"] == []
        assert stored_state(site, "locked") == one.state


def test_an_event_refused_among_others_is_set_aside(chromium, site):
    with working(chromium, site, "outside") as one:
        one.network("cut")
        one.highlight(0, 6)
        one.highlight(40, 4000)
        one.act(("bep", {"position": 2}))
        one.act(("validate", {}))
        one.until("status.waiting === 4")
        one.network("open")
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(one) == [("highlight", "outside")]
        one.run("await work.journal.refresh()")
        assert one.state == stored_state(site, "outside")
        assert one.state["validated"]


def test_events_on_another_text_are_set_aside(chromium, site):
    """Marks on an old text are not shown on the text that the server has now."""
    with working(chromium, site, "text") as one:
        one.network("cut")
        one.run("work.journal.fingerprint = 'another'; await work.journal.act('bep', {position: 3});")
        assert one.state["bep"] == 3
        one.page.reload()
        one.begin()
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(one) == [("bep", "other-text")]
        assert one.state["bep"] is None
        assert one.page.evaluate("work.statuses.length > 0 && work.journal.fingerprint !== 'another'")


def test_a_refused_step_cannot_be_undone(chromium, site):
    with working(chromium, site, "undone") as one:
        one.highlight(0, 6)
        one.act(("validate", {}))
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(one) == [("validate", "not-done")]
        assert not one.state["validated"]
        assert one.run("return (await work.journal.undo()).map(({kind}) => kind)") == ["unhighlight"]
        assert one.run("return [work.journal.canUndo, work.journal.canRedo]") == [False, True]


def test_an_invalid_event_among_others_is_set_aside(chromium, site):
    """The server refuses the whole batch; the invalid event is found, and the others are sent."""
    with working(chromium, site, "bad-note") as one:
        one.network("cut")
        for at in range(9):
            one.highlight(at * 4, at * 4 + 2)
        one.act(("note", {"text": "x" * 10_001}))
        one.act(("bep", {"position": 4}))
        one.until("status.waiting === 11")
        one.network("open")
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(one) == [("note", "bad-request")]
        assert "at most 10,000 characters" in one.status["refused"][0]["refusal"]["message"]
        assert [event["kind"] for event in logged(site, "bad-note")] == [*["highlight"] * 9, "bep"]


FAILURE = {
    "status": 500,
    "body": json.dumps({"error": {"code": "failed", "message": "something went wrong"}}),
}


def test_an_event_that_makes_the_server_fail_does_not_block_others(chromium, site):
    with working(chromium, site, "failing") as one:
        one.answers(*[FAILURE] * 5)
        one.highlight(0, 6)
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(one) == [("highlight", "failed")]
        one.highlight(10, 12)
        one.until("status.kind === 'refused' && status.waiting === 0")
        one.run("await work.outbox.retry(work.outbox.status.refused)")
        assert one.saves()["highlights"] == [[0, 6], [10, 12]]


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_of_a_busy_server_is_respected(chromium, site, status):
    with working(chromium, site, "busy") as one:
        one.answers({"status": status, "headers": {"retry-after": "1"}})
        before = one.page.evaluate("performance.now()")
        one.act(("note", {"text": f"{status} a"}))
        one.until("status.kind === 'offline'")
        one.act(("note", {"text": f"{status} b"}))
        assert one.saves()["note"] == f"{status} b"
        assert one.page.evaluate("performance.now()") - before >= 1000


def test_error_pages_of_a_proxy_are_retried(chromium, site):
    with working(chromium, site, "proxy") as one:
        html = {"body": "<h1>Bad Gateway</h1>", "headers": {"content-type": "text/html"}}
        one.answers({"status": 502, **html}, {"status": 200, **html}, {"status": 413, **html})
        one.highlight(0, 6)
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert one.page.evaluate("work.statuses.map(({kind}) => kind)").count("offline") >= 1
        assert one.status["refused"][0]["refusal"]["code"] == "failed"  # alone, and still too large: aside
        one.run("await work.outbox.retry(work.outbox.status.refused)")
        assert one.saves()["highlights"] == [[0, 6]]


def test_an_event_missing_from_the_answer_stays_unsent(chromium, site):
    with working(chromium, site, "foreign") as one:
        one.answers({"status": 200, "body": '{"results": []}'}, {"status": 200, "body": "{}"})
        one.highlight(0, 6)
        assert one.saves()["highlights"] == [[0, 6]]
        assert len(logged(site, "foreign")) == 1


def test_large_batches_are_split(chromium, tmp_path):
    settings = ServerSettings(most_bytes=4_000, most_events=7)
    with (
        working_site(tmp_path, ["small"], settings=settings) as site,
        working(chromium, site, "small") as one,
    ):
        one.network("cut")
        for at in range(30):
            one.act(("bep", {"position": at}))
        one.act(("note", {"text": "🍏" * 600}))
        one.act(("note", {"text": "🍏" * 2_000}))  # by itself more than the server takes
        one.act(("bep", {"position": 40}))
        one.until("status.waiting === 33")
        one.network("open")
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(one) == [("note", "too-large")]
        positions = [event["body"].get("position") for event in logged(site, "small")]
        assert positions == [*range(30), None, 40]


def test_many_spans_are_split_into_several_events(chromium, site):
    """The server accepts a thousand spans per event."""
    with working(chromium, site, "spans") as one:
        assert one.run(
            """const {prepareEvents} = await import(given);
               const spans = Array.from({length: 2500}, (_, at) => [2 * at, 2 * at + 1]);
               const found = prepareEvents([{kind: 'highlight', body: {spans}}]);
               return found.map(({body}) => body.spans.length);""",
            make_static_address("work/event_journal.js"),
        ) == [1000, 1000, 500]


def test_events_for_an_assignment_of_somebody_else_are_set_aside(chromium, site):
    """Events for an assignment that belongs to somebody else now are set aside, not sent forever."""
    with working(chromium, site, "taken") as one:
        forbidden = {"error": {"code": "forbidden", "message": "this assignment is not yours"}}
        one.answers({"status": 403, "body": json.dumps(forbidden)})
        one.highlight(0, 6)
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert refusals(one) == [("highlight", "forbidden")]
        other = Worker(one.page.context.new_page(), "taken")
        other.page.goto(f"{site.address}/api/health")
        assert refusals(other.begin()) == [("highlight", "forbidden")]
        other.run("await work.outbox.dismiss(work.outbox.status.refused)")
        one.until("status.kind === 'saved' && status.refused.length === 0")
