"""Two tabs on one document: both show all events, none is sent twice, the server's order decides."""

import random
from contextlib import contextmanager

import pytest

from pages.judging.work import Worker, elsewhere, logged, stored_state, working, working_site

NAMES = "both offline closing silent together later random-0 random-1 random-2 random-3"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with working_site(tmp_path_factory.mktemp("tabs"), NAMES.split()) as new_site:
        yield new_site


@contextmanager
def two_tabs(browser, site, doc, script=None):
    with working(browser, site, doc, script=script) as first:
        page = first.page.context.new_page()
        page.goto(f"{site.address}/api/health")
        yield first, Worker(page, doc).begin()


def test_both_tabs_show_the_events_of_both(chromium, site):
    with two_tabs(chromium, site, "both") as (one, other):
        one.highlight(0, 6)
        other.until("work.journal.state.highlights.length === 1")
        other.highlight(10, 20)
        one.until("work.journal.state.highlights.length === 2")
        elsewhere(site, "both", "unhighlight", {"spans": [[2, 3]]})
        one.act(("bep", {"position": 4}))
        other.until("work.journal.state.bep === 4")
        assert one.saves() == other.saves() == stored_state(site, "both")
        assert len(logged(site, "both")) == 4


def test_a_tab_sends_the_events_that_the_other_cannot_send(chromium, site):
    with two_tabs(chromium, site, "offline") as (one, other):
        one.network("cut")
        one.highlight(0, 6)
        one.act(("note", {"text": "from the first"}))
        # the second has it before the server does, and sends it after a while
        other.until("work.journal.state.note === 'from the first'")
        one.until("status.waiting === 0")
        assert other.saves() == stored_state(site, "offline")
        one.network("open")
        assert one.saves() == stored_state(site, "offline")
        assert len(logged(site, "offline")) == 2


def test_a_tab_that_is_closed_leaves_its_work_to_the_other(chromium, site):
    with two_tabs(chromium, site, "closing") as (one, other):
        other.network("cut")
        one.network("cut")
        one.highlight(0, 6)
        other.highlight(10, 12)
        one.page.close()
        other.until("status.waiting === 2")
        other.network("open")
        assert other.saves()["highlights"] == [[0, 6], [10, 12]]
        assert len(logged(site, "closing")) == 2


def test_two_tabs_sending_at_once_store_each_event_once(chromium, site):
    with two_tabs(chromium, site, "together") as (one, other):
        for worker in (one, other):
            worker.network("cut")
        for at in range(6):
            (one, other)[at % 2].highlight(at * 3, at * 3 + 2)
        one.until("status.waiting === 6")
        for worker in (one, other):
            worker.network("open")
        assert one.saves() == other.saves() == stored_state(site, "together")
        assert len(logged(site, "together")) == 6


NO_WORDS = "delete window.BroadcastChannel; Object.defineProperty(navigator, 'locks', {value: undefined});"


def test_without_channels_between_tabs_events_are_still_stored_once(chromium, site):
    """In a browser without locks and channels, events are sent twice and stored once."""
    with two_tabs(chromium, site, "silent", script=NO_WORDS) as (one, other):
        one.network("cut")
        one.highlight(0, 6)
        other.run("dispatchEvent(new Event('focus'))")  # the other finds it on the disk, and sends it
        other.until("status.waiting === 0 && work.journal.state.highlights.length === 1")
        assert len(logged(site, "silent")) == 1
        one.network("open")
        assert one.saves() == other.saves() == stored_state(site, "silent")
        assert len(logged(site, "silent")) == 1


def test_signing_in_again_in_one_tab_is_enough(chromium, site):
    with two_tabs(chromium, site, "later") as (one, other):
        one.page.context.clear_cookies()
        for worker, start in ((one, 0), (other, 10)):
            worker.highlight(start, start + 2)
            worker.until("status.kind === 'signed-out'")
        one.run("await work.api.signIn('anna', given)", "correct horse battery staple")
        assert one.saves() == other.saves() == stored_state(site, "later")
        assert len(logged(site, "later")) == 2


BUSY = {"status": 503, "body": '{"error": {"code": "busy", "message": "try again"}}'}


@pytest.mark.parametrize("seed", range(4))
def test_with_a_failing_network_every_event_is_stored_once(chromium, site, seed):
    """Two tabs, another machine, a network that fails at random, and pages that are reloaded."""
    chance, doc = random.Random(seed), f"random-{seed}"
    count = 0
    with two_tabs(chromium, site, doc) as workers:
        for _ in range(30):
            worker = chance.choice(workers)
            start = chance.randint(0, 35)
            kind = chance.choice(["highlight", "unhighlight", "bep", "note", "show", "undo", "redo"])
            if kind in {"undo", "redo"}:
                count += len(worker.run(f"return work.journal.{kind}()"))
            else:
                body = {"bep": {"position": start}, "note": {"text": f"{start} 🍏"}, "show": {"pooled": True}}
                spans = {"spans": [[start, start + chance.randint(1, 9)]]}
                event = {"kind": kind, "body": body.get(kind, spans)}
                count += len(worker.run("return work.journal.actAll([given])", event))
            match chance.randint(0, 9):
                case 0 | 1 | 2:
                    worker.network(chance.choice(["open", "cut", "answers-lost"]))
                case 3:
                    worker.answers(BUSY)
                case 4:
                    elsewhere(site, doc, "highlight", {"spans": [[start, start + 1]]})
                    count += 1
                case 5:
                    worker.page.reload()
                    worker.begin()
        for worker in workers:
            worker.network("open")
        assert workers[0].saves() == workers[1].saves() == stored_state(site, doc)
        assert len(logged(site, doc)) == count
