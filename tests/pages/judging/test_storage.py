"""If the browser cannot store events on disk, they stay in memory, and the page shows it."""

import pytest

from pages.judging.work import logged, stored_state, working, working_site

NAMES = "missing blocked silent half brink full cleared earlier unsent shared"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with working_site(tmp_path_factory.mktemp("storage"), NAMES.split()) as new_site:
        yield new_site


BROKEN = {
    "missing": "Object.defineProperty(window, 'indexedDB', {value: undefined});",
    "blocked": "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); };",
    "silent": "IDBFactory.prototype.open = () => new EventTarget();",
}
FORBIDDEN = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no'); }});"


@pytest.mark.parametrize("doc", BROKEN)
def test_without_storage_events_are_kept_in_memory(chromium, site, doc):
    with working(chromium, site, doc, script=BROKEN[doc] + FORBIDDEN, begin=False) as worker:
        worker.begin(patience=200)
        assert not worker.status["isKept"]
        assert not worker.asks_before_it_goes
        worker.network("cut")
        worker.highlight(0, 6)
        worker.highlight(8, 9)
        worker.until("status.kind === 'offline' && status.waiting === 2 && !status.isKept")
        assert worker.asks_before_it_goes
        worker.network("open")
        assert worker.saves()["highlights"] == [[0, 6], [8, 9]]
        assert not worker.asks_before_it_goes
        assert worker.state == stored_state(site, doc)


@pytest.mark.parametrize("script", [BROKEN["missing"], FORBIDDEN], ids=["smaller", "larger"])
def test_one_of_two_storages_is_enough(chromium, site, script):
    with working(chromium, site, "half", script=script) as worker:
        worker.network("cut")
        worker.act(("note", {"text": script}))
        worker.act(("bep", {"position": 4000}))
        worker.until("status.kind === 'offline' && status.waiting === 2")
        assert worker.status["isKept"]
        assert not worker.asks_before_it_goes
        worker.page.reload()
        worker.begin()
        worker.until("status.kind === 'refused' && status.waiting === 0")
        assert stored_state(site, "half")["note"] == script
        worker.page.reload()
        worker.begin()
        assert [entry["kind"] for entry in worker.status["refused"]] == ["bep"]
        worker.run("await work.outbox.dismiss(work.outbox.status.refused)")
        worker.page.reload()
        assert worker.begin().status["kind"] == "saved"


def test_events_on_disk_are_removed_from_local_storage(chromium, site):
    with working(chromium, site, "brink") as worker:
        worker.network("cut")
        worker.highlight(0, 6)
        worker.until("status.kind === 'offline'")
        assert worker.page.evaluate("localStorage.length") == 0
        worker.network("open")
        worker.saves()


EARLIER = """async () => {
  const request = indexedDB.open('doxel-assess', 1);
  request.onupgradeneeded = () => {
    const events = request.result.createObjectStore('events', {keyPath: ['client', 'sequence']});
    events.createIndex('place', ['user', 'pool', 'doc']);
    events.put({client: 'earlier', sequence: 0, user: 'anna', pool: 1, doc: 'earlier', order: 1});
  };
  await new Promise((done) => { request.onsuccess = done; });
  request.result.close();
  localStorage.setItem('doxel-assess half', '{"client": "ha');
}"""


def test_unreadable_stored_entries_are_ignored(chromium, site):
    """A database of an earlier version, without accounts, and a truncated entry."""
    with working(chromium, site, "earlier", begin=False) as worker:
        worker.page.evaluate(EARLIER)
        worker.begin()
        worker.network("cut")
        worker.highlight(0, 6)
        worker.until("status.kind === 'offline' && status.waiting === 1")
        worker.page.reload()
        worker.begin()
        assert worker.saves()["highlights"] == [[0, 6]]
        assert len(logged(site, "earlier")) == 1
        worker.page.goto(site.address)
        worker.page.get_by_role("status").get_by_text("this browser keeps 1 step").wait_for()


# As a page of version 1.0 leaves events: two in IndexedDB, one of them refused, and one in localStorage.
UNSENT = """async () => {
  const {name, account} = await (await fetch('/api/session')).json();
  const {fingerprint} = await (await fetch('/api/assignments/1/states/unsent')).json();
  const place = {pool: 1, doc: 'unsent', fingerprint, user: name, account, client: 'page-1'};
  const make = (sequence, kind, body, refusal = null) =>
    ({...place, order: 1700000000000, refusal, sequence, kind, body});
  const request = indexedDB.open('doxel-assess', 2);
  request.onupgradeneeded = () => {
    const events = request.result.createObjectStore('events', {keyPath: ['client', 'sequence']});
    events.createIndex('account, pool, doc', ['account', 'pool', 'doc']);
    events.put(make(0, 'highlight', {spans: [[0, 6]]}));
    events.put(make(1, 'note', {text: 'refused'}, {code: 'locked', message: 'the pool is locked'}));
  };
  await new Promise((done) => { request.onsuccess = done; });
  request.result.close();
  const last = make(2, 'note', {text: 'from version 1.0'});
  localStorage.setItem('doxel-assess page-1 2', JSON.stringify(last));
}"""
STORED = """async () => {
  const request = indexedDB.open('doxel-assess');
  await new Promise((done) => { request.onsuccess = done; });
  const all = request.result.transaction('events').objectStore('events').getAll();
  await new Promise((done) => { all.onsuccess = done; });
  request.result.close();
  return {version: request.result.version, entries: all.result};
}"""


def test_unsent_events_of_version_1_are_sent(chromium, site):
    with working(chromium, site, "unsent", begin=False) as worker:
        worker.page.evaluate(UNSENT)
        worker.begin()
        worker.until("status.kind === 'refused' && status.waiting === 0")
        events = [(event["client"], event["kind"], event["body"]) for event in logged(site, "unsent")]
        assert events == [
            ("page-1", "highlight", {"spans": [[0, 6]]}),
            ("page-1", "note", {"text": "from version 1.0"}),
        ]
        (refused,) = worker.status["refused"]
        assert (refused["assignment"], refused["body"]) == (1, {"text": "refused"})
        worker.run("await work.outbox.retry(work.outbox.status.refused)")
        assert worker.saves()["note"] == "refused"
        assert worker.page.evaluate("localStorage.length") == 0
        assert worker.page.evaluate(STORED) == {"version": 2, "entries": []}


def test_pages_of_version_1_can_read_unsent_events(chromium, site):
    """They may still be open in other tabs, and expect the old name of the assignment."""
    with working(chromium, site, "shared") as worker:
        worker.network("cut")
        worker.act(("note", {"text": "later"}))
        worker.until("status.kind === 'offline'")
        stored = worker.page.evaluate(STORED)
        (entry,) = stored["entries"]
        assert (stored["version"], entry["pool"], "assignment" in entry) == (2, 1, False)
        worker.network("open")
        worker.saves()


FULL = """
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...given) {
  const request = put.apply(this, given);
  if (window.isFull) this.transaction.abort();
  return request;
};
const set = Storage.prototype.setItem;
Storage.prototype.setItem = function (...given) {
  if (window.isFull) throw new DOMException('full', 'QuotaExceededError');
  set.apply(this, given);
};
"""


def test_events_are_kept_in_memory_while_the_disk_is_full(chromium, site):
    with working(chromium, site, "full", script=FULL) as worker:
        worker.network("cut")
        worker.highlight(0, 6)
        worker.until("status.kind === 'offline'")
        assert worker.status["isKept"]
        worker.run("window.isFull = true")
        worker.act(("note", {"text": "when the disk was full"}))
        worker.highlight(8, 9)
        worker.until("status.waiting === 3 && !status.isKept")
        assert worker.asks_before_it_goes
        assert worker.state["highlights"] == [[0, 6], [8, 9]]
        # there is room again: everything is brought to the disk
        worker.run("window.isFull = false; dispatchEvent(new Event('focus'));")
        worker.until("status.isKept")
        assert not worker.asks_before_it_goes
        worker.page.reload()
        worker.begin()
        assert worker.saves()["highlights"] == [[0, 6], [8, 9]]
        assert [event["kind"] for event in logged(site, "full")] == ["highlight", "note", "highlight"]


def test_somebody_clears_the_disk_under_an_open_page(chromium, site):
    with working(chromium, site, "cleared") as worker:
        worker.network("cut")
        worker.highlight(0, 6)
        worker.until("status.kind === 'offline'")
        devtools = worker.page.context.new_cdp_session(worker.page)
        devtools.send("Storage.clearDataForOrigin", {"origin": site.address, "storageTypes": "indexeddb"})
        worker.run("dispatchEvent(new Event('focus'))")
        worker.highlight(8, 9)
        assert worker.status["waiting"] == 2
        worker.network("open")
        assert worker.saves()["highlights"] == [[0, 6], [8, 9]]
        assert len(logged(site, "cleared")) == 2
