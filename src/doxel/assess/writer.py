"""One writer: a thread that appends whatever has queued in one transaction, and answers after its commit.

While one batch is on its way to the disk the next gathers; so the more is sent, the more goes with one
commit, and nobody waits longer than two of them.

In pauses it keeps the states of documents that were validated, or have had many events, so that whoever
asks for them later need not fold their events.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Self

from doxel.assess.appending import Outcome, Submission, append
from doxel.assess.library import Library
from doxel.assess.log import save_snapshots, state_of
from doxel.assess.store import Store
from doxel.errors import BusyError

__all__ = ["Writer"]

_MOST_WAITING = 5_000  # submissions; more means that the disk cannot keep up
_MOST_AT_ONCE = 500
_PAUSE = 0.5  # seconds without events, after which there is time for snapshots
_MANY = 64  # events of a document; folding so many takes some milliseconds
_MOST_DUE = 16  # documents; so many are kept at once, pause or not, which takes some milliseconds

Answer = Future[list[Outcome]]


class Writer:
    """Appends events to the log, for any number of threads that submit them."""

    def __init__(self, store: Store, library: Library) -> None:
        self._store, self._library = store, library
        self._waiting: queue.Queue[tuple[Submission, Answer] | None] = queue.Queue(_MOST_WAITING)
        self._counts: dict[tuple[int, str], int] = {}
        self._due: set[tuple[int, str]] = set()
        self._pooled: set[tuple[str, str]] = set()
        self._thread = threading.Thread(target=self._work, name="doxel-writer", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.put(None)
        self._thread.join()

    def submit(self, submission: Submission) -> Answer:
        """Queue events; the answer comes when they are committed, or refused."""
        answer: Answer = Future()
        try:
            self._waiting.put_nowait((submission, answer))
        except queue.Full:
            raise BusyError("too much is waiting to be written") from None
        return answer

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            # one who has gone before this point is not served; from here on, going is too late
            batch = [one for one in batch if one[1].set_running_or_notify_cancel()]
            try:
                self._write(batch)
            except Exception:  # noqa: BLE001 -- the writer must outlive whatever one batch holds
                self._write_each(batch)
            if len(self._due) >= _MOST_DUE:
                self._keep_snapshots()
        self._keep_snapshots()

    def _next_batch(self) -> list[tuple[Submission, Answer]] | None:
        """Return whatever has queued, at least one submission; None at the end."""
        first = self._first()
        if first is None:
            return None
        batch = [first]
        with suppress(queue.Empty):
            while len(batch) < _MOST_AT_ONCE:
                more = self._waiting.get_nowait()
                if more is None:
                    self._waiting.put(None)  # the end comes after what is in hand
                    break
                batch.append(more)
        return batch

    def _first(self) -> tuple[Submission, Answer] | None:
        """Wait for the next submission; if it takes long, use the time."""
        if self._due:
            with suppress(queue.Empty):
                return self._waiting.get(timeout=_PAUSE)
            self._keep_snapshots()
        return self._waiting.get()

    def _write(self, batch: Sequence[tuple[Submission, Answer]]) -> None:
        with self._store.write() as connection:
            outcomes = append(
                connection, self._library, [submission for submission, _ in batch], self._pooled
            )
        for (submission, answer), some in zip(batch, outcomes, strict=True):
            answer.set_result(some)
            self._count(submission, some)

    def _write_each(self, batch: Sequence[tuple[Submission, Answer]]) -> None:
        """Try again one by one, so that one that cannot be written spoils no other."""
        for one in batch:
            try:
                self._write([one])
            except Exception as error:  # noqa: BLE001 -- whatever it is, the one who waits must know
                one[1].set_exception(error)

    def _count(self, submission: Submission, outcomes: Sequence[Outcome]) -> None:
        """Count what was stored, and note the documents whose states are worth keeping."""
        for arrival, outcome in zip(submission.arrivals, outcomes, strict=True):
            if outcome.status != "stored":
                continue
            key = (submission.pool_id, arrival.doc)
            self._counts[key] = self._counts.get(key, 0) + 1
            if arrival.event.kind == "validate" or self._counts[key] >= _MANY:
                self._due.add(key)

    def _keep_snapshots(self) -> None:
        """Keep states; that only saves time, so whatever goes wrong with it is let go."""
        due, self._due = self._due, set()
        for key in due:
            self._counts.pop(key, None)
        if due:
            with suppress(Exception), self._store.write() as connection:
                save_snapshots(connection, {key: state_of(connection, *key) for key in due})
