"""Pages that use the outbox and the journal as the judging page does, with nothing on the screen."""

from __future__ import annotations

import uuid
from collections import Counter
from contextlib import contextmanager
from typing import Any

from assess.site_fixtures import PASSWORD
from browser import listening, new_tab
from doxel.assess.document_state import fold_events, state_to_json
from doxel.assess.document_styles import Styles
from doxel.assess.judging_events import Event
from doxel.assess.web.static_files import make_static_address
from pages.judging.served_site import judging_site

__all__ = ["FRUIT", "Worker", "elsewhere", "enter", "logged", "stored_state", "working", "working_site"]

FRUIT = "<article><title>Apples</title><p>Red apples are ripe.</p><p>Green ones are not.</p></article>"

# Events can get lost on their way to the server, or its answer on the way back.
_SETUP = """
async ({doc, pause, way, patience}) => {
  const real = window.fetch;
  const network = {way, answers: []};
  window.fetch = async (path, options) => {
    if (options?.method !== 'POST' || !path.endsWith('/events')) return real(path, options);
    if (network.way === 'cut') throw new TypeError('cut');
    const [answer] = network.answers.splice(0, 1);
    const {body = '', ...head} = answer ?? {};
    if (answer) return new Response(body, head);
    const found = await real(path, options);
    if (network.way === 'answers-lost') throw new TypeError('lost');
    return found;
  };
  const [{Api}, {openStore}, {Outbox}, {Journal}] = await Promise.all(
    ['server_api', 'local_store', 'outbox', 'event_journal']
      .map((name) => import(`WORK/${name}.js`)));
  const {name, account, csrf} = await (await fetch('/api/session')).json();
  const [api, store] = [new Api({csrf}), await openStore({patience})];
  const outbox = new Outbox({api, user: name, account, store, firstPause: pause, grace: 300});
  const statuses = [];
  outbox.addEventListener('status', () => statuses.push(outbox.status));
  const open = (other) => Journal.open({api, outbox, assignment: name === 'anna' ? 1 : 2, doc: other});
  window.work = {api, outbox, statuses, network, open, journal: await open(doc)};
}
""".replace("WORK", make_static_address("work"))


class Worker:
    """A page with an outbox and the journal of one document."""

    def __init__(self, page: Any, doc: str) -> None:
        self.page, self.doc = page, doc

    def begin(self, *, pause: float = 50, way: str = "open", patience: float = 300_000) -> Worker:
        """Start working; set the pause before retries and the time to wait for the disk."""
        options = {"doc": self.doc, "pause": pause, "way": way, "patience": patience}
        self.page.evaluate(_SETUP, options)
        return self

    def act(self, *events: tuple[str, dict[str, Any]]) -> None:
        """Apply events as one step; they are stored when this returns."""
        self.run("await work.journal.actAll(given)", [{"kind": kind, "body": body} for kind, body in events])

    def highlight(self, start: int, end: int) -> None:
        self.act(("highlight", {"spans": [[start, end]]}))

    def network(self, way: str) -> None:
        """Set the network to ``open``, ``cut``, or losing all answers."""
        # browsers say when they are online again
        self.run("work.network.way = given; if (given === 'open') dispatchEvent(new Event('online'))", way)

    def answers(self, *answers: dict[str, Any]) -> None:
        """Replace the answers to the next requests that send events."""
        self.run("work.network.answers.push(...given)", list(answers))

    def run(self, script: str, given: Any = None) -> Any:
        return self.page.evaluate(f"async (given) => {{ {script} }}", given)

    def until(self, condition: str) -> None:
        self.page.wait_for_function(f"() => {{ const {{status}} = work.outbox; return {condition}; }}")

    def saves(self) -> dict[str, Any]:
        """Wait until everything is saved, and return the displayed state."""
        self.until("status.kind === 'saved'")
        self.run("await work.journal.refresh()")
        return self.state

    @property
    def state(self) -> dict[str, Any]:
        return self.page.evaluate("work.journal.state")

    @property
    def status(self) -> dict[str, Any]:
        return self.page.evaluate("work.outbox.status")

    @property
    def asks_before_it_goes(self) -> bool:
        event = "new Event('beforeunload', {cancelable: true})"
        return self.page.evaluate(
            f"() => {{ const one = {event}; dispatchEvent(one); return one.defaultPrevented; }}"
        )


@contextmanager
def working_site(folder, docs, **options):
    """Serve documents with the same text, under the names that tests give them."""
    with judging_site(folder, dict.fromkeys(docs, FRUIT), styles=Styles({}, "inline"), **options) as site:
        yield site


@contextmanager
def working(browser, site, doc, *, name="anna", begin=True, script=None):
    """Open a page on a document, after running a script that changes the browser."""
    faults: list[str] = []
    with (
        new_tab(browser, script) as page,
        listening(page, pageerror=lambda error: faults.append(str(error))),
    ):
        enter(page.context, site, name)
        page.goto(f"{site.address}/api/health")
        worker = Worker(page, doc)
        yield worker.begin() if begin else worker
        assert faults == []


def enter(context, site, name):
    """Sign in, replacing the current session."""
    answer = context.request.post(f"{site.address}/api/session", data={"name": name, "password": PASSWORD})
    assert answer.ok, answer.text()


def elsewhere(site, doc, kind, body, *, assignment=1, name="anna"):
    """Send an event from another machine."""
    event = {"doc": doc, "client": f"elsewhere-{uuid.uuid4().hex}", "sequence": 0, "kind": kind, "body": body}
    event["fingerprint"] = site.service.library.find(doc).fingerprint
    answer = site.visitor(name).send(assignment, event)
    assert answer.status_code == 200, answer.text


def logged(site, doc, *, assignment=1, name="anna"):
    """Return the events of a document, and check that none is stored twice."""
    events = site.visitor(name).get(f"/api/assignments/{assignment}/events/{doc}").json()["events"]
    counts = Counter((event["client"], event["sequence"]) for event in events)
    assert set(counts.values()) <= {1}
    return events


def stored_state(site, doc, *, assignment=1, name="anna"):
    """Return the server's state, and check that it is the fold of its events."""
    state = site.visitor(name).get(f"/api/assignments/{assignment}/states/{doc}").json()["state"]
    events = [
        Event(event["kind"], event["body"]) for event in logged(site, doc, assignment=assignment, name=name)
    ]
    assert state == state_to_json(fold_events(events))
    return state
