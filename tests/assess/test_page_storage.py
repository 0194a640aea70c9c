"""If the browser cannot store events on disk, they stay in memory, and the page shows it."""

import pytest

from assess.work import logged, stored_state, working, working_site

NAMES = "missing blocked silent half brink full cleared earlier unsent"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with working_site(tmp_path_factory.mktemp("storage"), NAMES.split()) as found:
        yield found


BROKEN = {
    "missing": "Object.defineProperty(window, 'indexedDB', {value: undefined});",
    "blocked": "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); };",
    "silent": "IDBFactory.prototype.open = () => new EventTarget();",
}
FORBIDDEN = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no'); }});"


@pytest.mark.parametrize("doc", BROKEN)
def test_without_storage_events_are_kept_in_memory(chromium, site, doc):
    with working(chromium, site, doc, script=BROKEN[doc] + FORBIDDEN, begin=False) as one:
        one.begin(patience=200)
        assert not one.status["isKept"]
        assert not one.asks_before_it_goes
        one.network("cut")
        one.highlight(0, 6)
        one.highlight(8, 9)
        one.until("status.kind === 'offline' && status.waiting === 2 && !status.isKept")
        assert one.asks_before_it_goes
        one.network("open")
        assert one.saves()["highlights"] == [[0, 6], [8, 9]]
        assert not one.asks_before_it_goes
        assert one.state == stored_state(site, doc)


@pytest.mark.parametrize("script", [BROKEN["missing"], FORBIDDEN], ids=["smaller", "larger"])
def test_one_of_two_storages_is_enough(chromium, site, script):
    with working(chromium, site, "half", script=script) as one:
        one.network("cut")
        one.act(("note", {"text": script}))
        one.act(("bep", {"position": 4000}))
        one.until("status.kind === 'offline' && status.waiting === 2")
        assert one.status["isKept"]
        assert not one.asks_before_it_goes
        one.page.reload()
        one.begin()
        one.until("status.kind === 'refused' && status.waiting === 0")
        assert stored_state(site, "half")["note"] == script
        one.page.reload()
        one.begin()
        assert [entry["kind"] for entry in one.status["refused"]] == ["bep"]
        one.run("await work.outbox.dismiss(work.outbox.status.refused)")
        one.page.reload()
        assert one.begin().status["kind"] == "saved"


def test_events_on_disk_are_removed_from_local_storage(chromium, site):
    with working(chromium, site, "brink") as one:
        one.network("cut")
        one.highlight(0, 6)
        one.until("status.kind === 'offline'")
        assert one.page.evaluate("localStorage.length") == 0
        one.network("open")
        one.saves()


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
    with working(chromium, site, "earlier", begin=False) as one:
        one.page.evaluate(EARLIER)
        one.begin()
        one.network("cut")
        one.highlight(0, 6)
        one.until("status.kind === 'offline' && status.waiting === 1")
        one.page.reload()
        one.begin()
        assert one.saves()["highlights"] == [[0, 6]]
        assert len(logged(site, "earlier")) == 1
        one.page.goto(site.address)
        one.page.get_by_role("status").get_by_text("this browser keeps 1 step").wait_for()


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
    with working(chromium, site, "unsent", begin=False) as one:
        one.page.evaluate(UNSENT)
        one.begin()
        one.until("status.kind === 'refused' && status.waiting === 0")
        events = [(event["client"], event["kind"], event["body"]) for event in logged(site, "unsent")]
        assert events == [
            ("page-1", "highlight", {"spans": [[0, 6]]}),
            ("page-1", "note", {"text": "from version 1.0"}),
        ]
        (refused,) = one.status["refused"]
        assert (refused["assignment"], refused["body"]) == (1, {"text": "refused"})
        one.run("await work.outbox.retry(work.outbox.status.refused)")
        assert one.saves()["note"] == "refused"
        assert one.page.evaluate("localStorage.length") == 0
        assert one.page.evaluate(STORED) == {"version": 2, "entries": []}


def test_pages_of_version_1_can_read_unsent_events(chromium, site):
    """They may still be open in other tabs, and expect the old name of the assignment."""
    with working(chromium, site, "unsent") as one:
        one.network("cut")
        one.act(("note", {"text": "later"}))
        one.until("status.kind === 'offline'")
        stored = one.page.evaluate(STORED)
        (entry,) = stored["entries"]
        assert (stored["version"], entry["pool"], "assignment" in entry) == (2, 1, False)
        one.network("open")
        one.saves()


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
    with working(chromium, site, "full", script=FULL) as one:
        one.network("cut")
        one.highlight(0, 6)
        one.until("status.kind === 'offline'")
        assert one.status["isKept"]
        one.run("window.isFull = true")
        one.act(("note", {"text": "when the disk was full"}))
        one.highlight(8, 9)
        one.until("status.waiting === 3 && !status.isKept")
        assert one.asks_before_it_goes
        assert one.state["highlights"] == [[0, 6], [8, 9]]
        # there is room again: everything is brought to the disk
        one.run("window.isFull = false; dispatchEvent(new Event('focus'));")
        one.until("status.isKept")
        assert not one.asks_before_it_goes
        one.page.reload()
        one.begin()
        assert one.saves()["highlights"] == [[0, 6], [8, 9]]
        assert [event["kind"] for event in logged(site, "full")] == ["highlight", "note", "highlight"]


def test_somebody_clears_the_disk_under_an_open_page(chromium, site):
    with working(chromium, site, "cleared") as one:
        one.network("cut")
        one.highlight(0, 6)
        one.until("status.kind === 'offline'")
        devtools = one.page.context.new_cdp_session(one.page)
        devtools.send("Storage.clearDataForOrigin", {"origin": site.address, "storageTypes": "indexeddb"})
        one.run("dispatchEvent(new Event('focus'))")
        one.highlight(8, 9)
        assert one.status["waiting"] == 2
        one.network("open")
        assert one.saves()["highlights"] == [[0, 6], [8, 9]]
        assert len(logged(site, "cleared")) == 2
