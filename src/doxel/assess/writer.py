"""The event writer: a thread that appends all queued events in one transaction and answers after its commit.

While one batch is being committed, the next one queues up.  So batches grow with the load, and no client
waits longer than two commits.

In pauses the writer saves snapshots of documents that were validated or have many new events, so that later
reads need not fold those events.
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
_MANY = 64  # events of a document, which take some milliseconds to fold
_MOST_DUE = 16  # documents; saving their snapshots takes some milliseconds, so it needs no pause

Answer = Future[list[Outcome]]


class Writer:
    """Appends events to the log; any number of threads may submit them."""

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
        """Queue events and return a future, which is set after the commit."""
        answer: Answer = Future()
        try:
            self._waiting.put_nowait((submission, answer))
        except queue.Full:
            raise BusyError("too many events are waiting to be written") from None
        return answer

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            # a client may cancel up to this point; from here on its events are written
            batch = [(sent, answer) for sent, answer in batch if answer.set_running_or_notify_cancel()]
            try:
                self._write(batch)
            except Exception:  # noqa: BLE001 -- the writer must survive any error of one batch
                self._write_each(batch)
            if len(self._due) >= _MOST_DUE:
                self._keep_snapshots()
        self._keep_snapshots()

    def _next_batch(self) -> list[tuple[Submission, Answer]] | None:
        """Wait for at least one submission and return all that are queued; None at the end."""
        first = self._first()
        if first is None:
            return None
        batch = [first]
        with suppress(queue.Empty):
            while len(batch) < _MOST_AT_ONCE:
                following = self._waiting.get_nowait()
                if following is None:
                    self._waiting.put(None)  # write this batch before the end
                    break
                batch.append(following)
        return batch

    def _first(self) -> tuple[Submission, Answer] | None:
        """Wait for the next submission; save snapshots if none comes for a while."""
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
        for (submission, answer), receipts in zip(batch, outcomes, strict=True):
            answer.set_result(receipts)
            self._count(submission, receipts)

    def _write_each(self, batch: Sequence[tuple[Submission, Answer]]) -> None:
        """Write submissions one by one, so that a bad one does not fail the others."""
        for submission, answer in batch:
            try:
                self._write([(submission, answer)])
            except Exception as error:  # noqa: BLE001 -- the waiting client must learn of any error
                answer.set_exception(error)

    def _count(self, submission: Submission, outcomes: Sequence[Outcome]) -> None:
        """Count stored events, and note the documents that are due for a snapshot."""
        for arrival, outcome in zip(submission.arrivals, outcomes, strict=True):
            if outcome.status != "stored":
                continue
            key = (submission.pool_id, arrival.doc)
            self._counts[key] = self._counts.get(key, 0) + 1
            if arrival.event.kind == "validate" or self._counts[key] >= _MANY:
                self._due.add(key)

    def _keep_snapshots(self) -> None:
        """Save the snapshots that are due; errors are ignored, because snapshots are a cache."""
        due, self._due = self._due, set()
        for key in due:
            self._counts.pop(key, None)
        if due:
            with suppress(Exception), self._store.write() as connection:
                save_snapshots(connection, {key: state_of(connection, *key) for key in due})
