"""Events are never lost: they are stored in the browser, then sent until the server has answered."""

import pytest

from pages.judging.work import Worker, elsewhere, enter, logged, stored_state, working, working_site

NAMES = """plain down answer-lost left-behind others reload expired again-elsewhere wake undone idle
notes clock seen long going pages lost-with-page moment"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with working_site(tmp_path_factory.mktemp("work"), NAMES.split()) as new_site:
        yield new_site


def test_actions_are_stored_shown_sent_and_equal_on_the_server(chromium, site):
    with working(chromium, site, "plain") as worker:
        worker.act(("highlight", {"spans": [[0, 6]]}), ("bep", {"position": 0}))
        worker.act(("validate", {}))
        assert worker.saves() == stored_state(site, "plain")
        events = logged(site, "plain")
        assert [event["sequence"] for event in events] == [0, 1, 2]
        assert len({event["client"] for event in events}) == 1
        kinds = worker.page.evaluate("work.statuses.map(({kind}) => kind)")
        assert "saving" in kinds
        assert kinds[-1] == "saved"
        assert worker.status["waiting"] == 0
        assert not worker.asks_before_it_goes


def test_the_state_changes_before_sending_and_never_falls_back(chromium, site):
    with working(chromium, site, "seen") as worker:
        results = worker.run(
            """window.changes = [];
               work.journal.addEventListener('change', () => changes.push(work.journal.state.highlights));
               const kept = work.journal.act('highlight', {spans: [[0, 6]]});
               const before = [work.journal.state.highlights, changes.length, work.journal.canUndo];
               await kept;
               return before;"""
        )
        assert results == [[[0, 6]], 1, True]
        assert worker.saves()["highlights"] == [[0, 6]]
        # nothing flickers between the answer and the moment when the server's own events are fetched
        assert worker.page.evaluate("changes") == [[[0, 6]]]


SLOW_DISK = """
const remove = IDBObjectStore.prototype.delete;
IDBObjectStore.prototype.delete = function (...given) {
  window.meanwhile?.();
  return remove.apply(this, given);
};
"""


def test_an_action_during_the_answer_is_not_lost(chromium, site):
    """Between the answer and the deletion from disk, no event may be lost."""
    with working(chromium, site, "moment", script=SLOW_DISK) as worker:
        worker.run(
            """window.meanwhile = () => {
                 window.meanwhile = undefined;
                 work.journal.act('note', {text: 'meanwhile'});
                 window.seen = work.journal.state;
               };"""
        )
        worker.highlight(0, 6)
        worker.page.wait_for_function("() => window.seen !== undefined")
        assert worker.page.evaluate("[seen.highlights, seen.note]") == [[[0, 6]], "meanwhile"]
        assert worker.saves() == stored_state(site, "moment")


def test_events_wait_while_the_server_is_down(chromium, site):
    with working(chromium, site, "down") as worker:
        worker.network("cut")
        worker.highlight(0, 6)
        worker.until("status.kind === 'offline' && status.waiting === 1")
        worker.highlight(10, 20)
        worker.act(("unhighlight", {"spans": [[12, 14]]}))
        worker.until("status.kind === 'offline' && status.waiting === 3")
        assert worker.status["isKept"]
        assert not worker.asks_before_it_goes
        assert logged(site, "down") == []
        state = worker.state
        assert state["highlights"] == [[0, 6], [10, 12], [14, 20]]
        worker.run("work.network.way = 'open'")  # nobody says so: it is tried again and again
        assert worker.saves() == state == stored_state(site, "down")


def test_a_lost_answer_does_not_store_an_event_twice(chromium, site):
    """The event is stored but the answer is lost: it is sent again, and stored once."""
    with working(chromium, site, "answer-lost") as worker:
        worker.network("answers-lost")
        worker.highlight(0, 6)
        worker.until("status.kind === 'offline'")
        assert len(logged(site, "answer-lost")) == 1
        # somebody else has taken it away since: sent again, it must not come back
        elsewhere(site, "answer-lost", "unhighlight", {"spans": [[0, 6]]})
        worker.run("await work.journal.refresh()")
        assert worker.state["highlights"] == []  # that it is stored is known by now, though never answered
        worker.network("open")
        assert worker.saves()["highlights"] == []
        assert len(logged(site, "answer-lost")) == 2


def test_a_lost_answer_and_a_closed_page_do_not_store_an_event_twice(chromium, site):
    """The next page finds the event on disk and in the server's state, and must not apply it twice."""
    with working(chromium, site, "lost-with-page") as worker:
        worker.network("answers-lost")
        worker.highlight(0, 6)
        worker.until("status.kind === 'offline'")
        elsewhere(site, "lost-with-page", "unhighlight", {"spans": [[0, 6]]})
        worker.page.reload()
        worker.begin(way="cut")
        assert worker.status["waiting"] == 1
        worker.network("open")
        assert worker.saves()["highlights"] == [] == stored_state(site, "lost-with-page")["highlights"]
        assert len(logged(site, "lost-with-page")) == 2


def test_unsent_events_of_a_closed_page_are_sent_by_the_next(chromium, site):
    with working(chromium, site, "left-behind") as worker:
        worker.network("cut")
        worker.highlight(0, 6)
        worker.act(("note", {"text": "half 🍏"}))
        worker.until("status.kind === 'offline'")
        other = Worker(worker.page.context.new_page(), "left-behind")
        worker.page.close()
        other.page.goto(f"{site.address}/api/health")
        other.begin()
        assert other.state["highlights"] == [[0, 6]]
        assert other.saves() == stored_state(site, "left-behind")
        assert [event["kind"] for event in logged(site, "left-behind")] == ["highlight", "note"]


@pytest.mark.parametrize("path", ["/", "/assignments/1"])
def test_unsent_events_are_sent_from_other_pages_too(chromium, site, path):
    with working(chromium, site, "pages") as worker:
        worker.network("cut")
        worker.act(("note", {"text": path}))
        worker.until("status.kind === 'offline'")
        worker.page.goto(f"{site.address}{path}")
        worker.page.get_by_role("status").get_by_text("are saved now").wait_for()
        assert stored_state(site, "pages")["note"] == path
        worker.page.reload()
        worker.page.wait_for_load_state("networkidle")
        assert worker.page.locator("#leftovers").is_hidden()


def test_unsent_events_are_never_sent_as_another_user(chromium, site):
    with working(chromium, site, "others") as worker:
        worker.network("cut")
        worker.highlight(0, 6)
        worker.until("status.kind === 'offline'")
        context = worker.page.context
        worker.page.close()
        enter(context, site, "ben")
        page = context.new_page()
        page.goto(f"{site.address}/api/health")
        ben = Worker(page, "others").begin()
        ben.highlight(10, 12)
        assert ben.saves()["highlights"] == [[10, 12]]
        assert logged(site, "others") == []
        assert len(logged(site, "others", assignment=2, name="ben")) == 1
        enter(context, site, "anna")
        page.reload()
        assert Worker(page, "others").begin().saves()["highlights"] == [[0, 6]]
        assert len(logged(site, "others")) == 1


def test_reloading_right_after_an_action_loses_nothing(chromium, site):
    with working(chromium, site, "reload") as worker:
        for start in range(0, 20, 2):
            with worker.page.expect_navigation():
                worker.page.evaluate(
                    "(span) => { work.journal.act('highlight', {spans: [span]}); location.reload(); }",
                    [start, start + 1],
                )
            worker.begin()
        assert len(worker.saves()["highlights"]) == 10
        assert len(logged(site, "reload")) == 10


def test_an_action_while_the_page_closes_is_not_lost(chromium, site):
    """For example, a note that is still being typed is saved."""
    with working(chromium, site, "going") as worker:
        for at in range(6):
            script = "addEventListener('pagehide', () => work.journal.act('bep', {position: given}))"
            worker.run(script, at)
            worker.page.goto(f"{site.address}/api/health")
            worker.begin()
        assert worker.saves()["bep"] == 5
        assert [event["body"]["position"] for event in logged(site, "going")] == [*range(6)]


def test_work_continues_after_the_session_expires_and_a_new_sign_in(chromium, site):
    with working(chromium, site, "expired") as worker:
        worker.page.context.clear_cookies()
        worker.highlight(0, 6)
        worker.until("status.kind === 'signed-out' && status.waiting === 1")
        assert worker.status["isKept"]
        worker.highlight(8, 9)
        with pytest.raises(Exception, match="the name or the password is wrong"):
            worker.run("await work.api.signIn('anna', 'not the password')")
        worker.run("await work.api.signIn('ben', given)", "correct horse battery staple")
        worker.until("status.kind === 'signed-out' && status.signedInAs === 'ben' && status.waiting === 2")
        worker.run("await work.outbox.flush()")
        assert logged(site, "expired") == []
        assert logged(site, "expired", assignment=2, name="ben") == []
        worker.page.context.clear_cookies()  # now it is nobody
        worker.run("dispatchEvent(new Event('focus'))")
        worker.until("status.kind === 'signed-out' && status.signedInAs === ''")
        worker.run("await work.api.signIn('anna', given)", "correct horse battery staple")
        assert worker.saves()["highlights"] == [[0, 6], [8, 9]]
        assert worker.status["signedInAs"] == ""
        assert len(logged(site, "expired")) == 2


def test_a_new_sign_in_in_another_tab_is_noticed(chromium, site):
    """The CSRF token changes then; the first tab notices it by itself."""
    with working(chromium, site, "again-elsewhere") as worker:
        enter(worker.page.context, site, "anna")
        worker.highlight(0, 6)
        assert worker.saves()["highlights"] == [[0, 6]]
        enter(worker.page.context, site, "ben")
        worker.highlight(8, 9)
        worker.until("status.kind === 'signed-out' && status.signedInAs === 'ben'")
        assert len(logged(site, "again-elsewhere")) == 1
        enter(worker.page.context, site, "anna")
        worker.run("dispatchEvent(new Event('focus'))")
        assert worker.saves()["highlights"] == [[0, 6], [8, 9]]


@pytest.mark.parametrize("event", ["online", "focus", "pageshow"])
def test_a_machine_that_wakes_up_does_not_wait_for_its_timers(chromium, site, event):
    with working(chromium, site, "wake", begin=False) as worker:
        worker.begin(pause=3_600_000)
        worker.network("cut")
        worker.act(("note", {"text": event}))
        worker.until("status.kind === 'offline'")
        worker.run("work.network.way = 'open'; dispatchEvent(new Event(given))", event)
        assert worker.saves()["note"] == event


def test_events_from_other_machines_appear_after_a_while(chromium, site):
    with working(chromium, site, "clock", begin=False) as worker:
        worker.page.clock.install()
        worker.begin()
        elsewhere(site, "clock", "bep", {"position": 3})
        worker.page.clock.fast_forward(20_500)
        worker.until("work.journal.state.bep === 3")


def test_undo_and_redo_are_events_too(chromium, site):
    with working(chromium, site, "undone") as worker:
        worker.highlight(0, 6)
        worker.act(("highlight", {"spans": [[4, 10]]}), ("bep", {"position": 2}))
        worker.run("await work.journal.undo()")
        assert worker.state["highlights"] == [[0, 6]]
        assert worker.state["bep"] is None
        worker.run("await work.journal.redo()")
        assert worker.state["highlights"] == [[0, 10]]
        worker.run("await work.journal.undo(); await work.journal.undo();")
        assert worker.run(
            "return [work.journal.canUndo, work.journal.canRedo, await work.journal.undo()]"
        ) == [
            False,
            True,
            [],
        ]
        assert worker.saves() == stored_state(site, "undone")
        assert len(logged(site, "undone")) == 3 + 2 + 2 + 2 + 1
        # who has been to another document can still go on
        worker.run(
            """work.journal.close();
               (await work.open('plain')).close();
               work.journal = await work.open(given);
               await work.journal.redo();""",
            "undone",
        )
        assert worker.saves()["highlights"] == [[0, 6]]


def test_an_edit_that_changes_nothing_is_not_sent(chromium, site):
    with working(chromium, site, "idle") as worker:
        worker.act(("highlight", {"spans": [[0, 6]]}), ("bep", {"position": 0}), ("validate", {}))
        worker.act(("highlight", {"spans": [[2, 4]]}), ("bep", {"position": 0}), ("note", {"text": ""}))
        worker.act(("unhighlight", {"spans": [[20, 30]]}))
        worker.act(("show", {"pooled": False}))  # hiding is recorded, too
        assert worker.saves()["validated"]
        assert [event["kind"] for event in logged(site, "idle")] == ["highlight", "bep", "validate", "show"]


def test_characters_that_cannot_be_stored_are_replaced(chromium, site):
    with working(chromium, site, "notes") as worker:
        worker.run(r"await work.journal.act('note', {text: 'a\0b\ud83dc 🍏'})")
        assert worker.saves()["note"] == "a\ufffdb\ufffdc 🍏"
        assert stored_state(site, "notes")["note"] == "a\ufffdb\ufffdc 🍏"


def test_a_long_log_is_not_read_from_its_start(chromium, site):
    client = site.visitor("anna")
    fingerprint = site.service.library.find("long").fingerprint
    common = {"doc": "long", "client": "past", "fingerprint": fingerprint, "kind": "highlight"}
    for begin in range(0, 2000, 400):
        batch = [
            {**common, "sequence": at, "body": {"spans": [[at % 40, at % 40 + 1]]}}
            for at in range(begin, begin + 400)
        ]
        assert client.send(1, *batch).status_code == 200
    with working(chromium, site, "long", begin=False) as worker:
        urls = []
        worker.page.on("request", lambda request: urls.append(request.url))
        worker.begin()
        assert worker.state["highlights"] == [[0, 40]]
        worker.act(("unhighlight", {"spans": [[3, 5]]}))
        assert worker.saves() == stored_state(site, "long")
        assert [url for url in urls if "/events/" in url and url.endswith("after=0")] == []
