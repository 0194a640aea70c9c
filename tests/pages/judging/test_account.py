"""One address may serve several campaigns in turn: unsent work never reaches the wrong campaign."""

import socket
from contextlib import ExitStack, contextmanager

import pytest

from assess.site_fixtures import PASSWORD
from browser import new_profile
from doxel.assess.store.backup import restore_backup, write_backup
from doxel.assess.store.database import open_store
from pages.judging.judge import judged
from pages.judging.served_site import served_store
from pages.judging.work import Worker, enter, logged, working_site

WITHOUT_DATABASE = "Object.defineProperty(window, 'indexedDB', {value: undefined});"


@pytest.fixture
def campaign(tmp_path):
    """Serves campaigns by name, each with its own users, assignments and texts, which are all alike."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def served(name):
        (tmp_path / name).mkdir()
        return working_site(tmp_path / name, ["fruit"], port=port)

    return served


@pytest.fixture(params=["", WITHOUT_DATABASE], ids=["database", "brink"])
def context(request, chromium):
    """A browser, with or without a database for unsent events."""
    browser_context = new_profile(chromium)
    browser_context.add_init_script(request.param)
    yield browser_context
    browser_context.close()


def at_work(context, site):
    """Sign anna in, and open a page on which she works."""
    enter(context, site, "anna")
    page = context.new_page()
    page.goto(f"{site.address}/api/health")
    return Worker(page, "fruit").begin()


def leave_something(context, site):
    """Highlight something that does not reach the server; the page stays open."""
    worker = at_work(context, site)
    worker.network("cut")
    worker.highlight(0, 6)
    worker.until("status.kind === 'offline' && status.waiting === 1")
    return worker


@contextmanager
def restored(site, file, database):
    """Serve the backup of a site at the same address."""
    store = open_store(database)
    restore_backup(store, file)
    try:
        with served_store(store, site.service.library, port=int(site.address.rpartition(":")[2])) as new_site:
            yield new_site
    finally:
        store.close()


def test_unsent_events_wait_for_their_own_campaign(context, campaign, tmp_path):
    with campaign("spring") as spring:
        leave_something(context, spring).page.close()
        write_backup(spring.service.store, tmp_path / "backup")
    with campaign("autumn") as autumn:
        worker = at_work(context, autumn)
        worker.act(("note", {"text": "in autumn"}))
        assert worker.saves()["highlights"] == []
        assert [event["kind"] for event in logged(autumn, "fruit")] == ["note"]
        worker.page.goto(autumn.address)
        status = worker.page.get_by_role("status")
        status.get_by_text("This browser keeps 1 step of anna in another campaign").wait_for()
        assert [event["kind"] for event in logged(autumn, "fruit")] == ["note"]
    with restored(spring, tmp_path / "backup", tmp_path / "again.sqlite") as again:
        assert at_work(context, again).saves()["highlights"] == [[0, 6]]
        assert len(logged(again, "fruit")) == 1


def test_a_page_of_one_campaign_sends_nothing_to_another(context, campaign):
    with campaign("spring") as spring:
        worker = leave_something(context, spring)
    with campaign("autumn") as autumn:
        worker.network("open")
        worker.until("status.kind === 'signed-out'")
        worker.run("await work.api.signIn('anna', given)", PASSWORD)
        worker.until("status.signedInAs === 'anna of another campaign' && status.waiting === 1")
        worker.run("await work.outbox.flush(); dispatchEvent(new Event('focus'));")
        enter(context, autumn, "anna")  # in another tab: the CSRF token changes, too
        worker.run("await work.outbox.flush(); await work.journal.refresh();")
        worker.until("status.kind === 'signed-out' && status.waiting === 1")
        assert logged(autumn, "fruit") == []


def test_signing_in_again_shows_that_the_campaign_is_another(chromium, campaign):
    with ExitStack() as first:
        spring = first.enter_context(campaign("spring"))
        with judged(chromium, spring, "fruit") as judge:
            judge.page.wait_for_load_state("networkidle")
            first.close()
            with campaign("autumn") as autumn:
                judge.drag("Red apples")
                judge.press("h")
                dialog = judge.page.get_by_role("dialog", name="Sign in again")
                dialog.wait_for()
                judge.page.keyboard.type(PASSWORD)
                judge.press("Enter")
                dialog.get_by_role("alert").get_by_text("this is another campaign now").wait_for()
                judge.saves("Signed in as anna of another campaign, 1 kept here")
                assert logged(autumn, "fruit") == []
            judge.forgive("Failed to load resource")
