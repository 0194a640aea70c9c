"""``doxel judge``: one person judges the pooled passages of a few questions, without accounts.

The judgements are events in a working database beside the gold file, like those of ``doxel assess``: each is
stored before the page shows it as saved.  The gold file follows from the database.  It is replaced, never
changed in place, a moment after every change, at the end, and when the command is started again.

A document is in the gold file as soon as a passage of it is highlighted, or when it is marked as done; a
document that was only opened is not judged.

Only whoever has the address with the token can judge.  The token is valid once, for the first browser that
opens the address.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import polars as pl
from sqlalchemy import func, select
from starlette.responses import RedirectResponse, Response

from doxel.assess.office.assessment_export import choose_assignments, collect_assessments
from doxel.assess.scales import PASSAGES
from doxel.assess.store.accounts import (
    add_user,
    close_sessions,
    find_user,
    hash_unknown_password,
    open_session,
)
from doxel.assess.store.assignments import create_assignment, find_statuses, list_assignments
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import EVENTS
from doxel.assess.store.invitations import OneTimeToken
from doxel.assess.store.pooled_documents import (
    Library,
    add_pooled_documents,
    bind_collection,
    list_documents,
)
from doxel.assess.web.call import Call
from doxel.assess.web.endpoints import Endpoint, choose_cookie_name, set_cookie
from doxel.assessments.assessments import Assessments, remove_documents
from doxel.assessments.jsonl_assessments import JSONL_ASSESSMENTS
from doxel.errors import InputError, RefusedError
from doxel.files import write_file
from doxel.pooling import Pool

__all__ = [
    "OPENING_PATH",
    "GoldFile",
    "build_token_endpoint",
    "find_working_file",
    "prepare_judging",
]

_JUDGE = "judge"  # the name of the only user
_OTHER_SUFFIXES = (".csv", ".tsv", ".xlsx", ".docx", ".pdf", ".xml", ".html", ".qrels", ".parquet")
_SECONDS = 0.5  # seconds between two checks for changes
_KEY = ["topic", "doc"]


def find_working_file(gold: Path) -> Path:
    """Return the path of the working database of a gold file.

    Raise an error if the gold file exists without it: judging would replace gold that was made elsewhere.
    A new gold file is refused, too, if its name promises another format than JSON lines.
    """
    working = gold.with_name(f"{gold.name}.judging")
    if not working.exists() and gold.suffix.lower() in _OTHER_SUFFIXES:
        raise InputError("the gold file", wanted="a name that ends in .jsonl", found=repr(gold.name))
    if gold.exists() and not working.exists():
        raise InputError(
            "the gold file exists already",
            file=str(gold),
            wanted=f"a new file, or its working file {working.name} beside it",
            found="a file that was not made by doxel judge",
        )
    return working


def prepare_judging(store: Store, library: Library, pool: Pool) -> int:
    """Add pooled documents and give all topics to the judge; return the judge's user id."""
    with store.write() as connection:
        bind_collection(connection, library)
        add_pooled_documents(connection, library, pool)
        judge = find_user(connection, _JUDGE)
        # a password that nobody knows: the only way in is the token
        number = add_user(connection, _JUDGE, hash_unknown_password()) if judge is None else judge.id
        close_sessions(connection, number)
        assigned_topics = {assignment.topic for assignment in list_assignments(connection)}
        for topic in pool.topics:
            if topic not in assigned_topics:
                create_assignment(connection, topic, number, PASSAGES.name)
    return number


@dataclass(frozen=True)
class GoldFile:
    """The gold file of a working database."""

    path: Path
    store: Store
    library: Library

    @contextlib.contextmanager
    def keep_current(self, report: Callable[[str], None]) -> Iterator[None]:
        """Write the file now, after every change, and at the end; ``report`` is called with errors."""
        self.write()
        is_over = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(is_over, report), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            is_over.set()
            watcher.join()
            self.write()

    def _watch(self, is_over: threading.Event, report: Callable[[str], None]) -> None:
        last = self._count_events()
        while not is_over.wait(_SECONDS):
            try:
                count = self._count_events()
                if count != last:
                    self.write()
                    last = count
            except Exception as error:  # noqa: BLE001 -- the next change tries again; nothing is lost
                report(f"the gold file could not be written, the judgements are in the working file: {error}")
                last = -1

    def _count_events(self) -> int:
        with self.store.read() as connection:
            return connection.execute(select(func.max(EVENTS.c.seq))).scalar() or 0

    def write(self) -> Assessments | None:
        """Write the judgements so far and return them; None if there are none and no file to replace."""
        gold = self.collect()
        if not gold.judged.height and not self.path.exists():
            return None
        write_file(self.path, JSONL_ASSESSMENTS.write(gold))
        return gold

    def collect(self) -> Assessments:
        """Return the judgements: documents with highlights and documents that are done, with texts."""
        with self.store.read() as connection:
            assignments = choose_assignments(connection, assessor=_JUDGE)
            done_assessments = collect_assessments(connection, self.library, assignments).assessments
            begun_assessments = collect_assessments(
                connection, self.library, assignments, include_open=True
            ).assessments
        judged_keys = pl.concat(
            [done_assessments.judged.select(_KEY), begun_assessments.highlights.select(_KEY)]
        )
        only_opened = begun_assessments.judged.join(judged_keys, on=_KEY, how="anti", maintain_order="left")
        gold = remove_documents(begun_assessments, only_opened)
        texts = [
            self.library.text(doc)[start:end]
            for doc, start, end in gold.highlights.select("doc", "start", "end").iter_rows()
        ]
        highlights = gold.highlights.with_columns(text=pl.Series(texts, dtype=pl.String))
        return replace(gold, scale="2006", highlights=highlights)


OPENING_PATH = "/open"
"""The path of the address that opens a session; the token follows."""


def _find_next_document(call: Call, user_id: int) -> str:
    """Return the address of the first document that is not done, or of the list of topics."""
    with call.service.store.read() as connection:
        for assignment in list_assignments(connection, user_id=user_id):
            status_of = find_statuses(connection, assignment.id)
            for doc in list_documents(connection, assignment.topic):
                if status_of.get(doc) != "validated":
                    return f"/assignments/{assignment.id}/documents/{quote(doc)}"
    return "/"


def build_token_endpoint(token: OneTimeToken, user_id: int) -> Endpoint:
    """Return the endpoint that opens a session of a user for whoever has the token."""

    def open_with_token(call: Call) -> Response:
        response = RedirectResponse(_find_next_document(call, user_id), 303)
        if call.session is not None:  # the address was opened again in the same browser
            return response
        if not token.use(call.path["token"]):
            sentence = "this address is not valid, or was used already: start doxel judge again"
            raise RefusedError(403, "used", sentence)
        settings = call.service.settings
        with call.service.store.write() as connection:
            session, _ = open_session(connection, user_id, settings.session_hours)
        seconds = int(settings.session_hours * 3600)
        set_cookie(response, choose_cookie_name(settings), session, settings, seconds=seconds)
        return response

    return Endpoint("GET", f"{OPENING_PATH}/{{token}}", open_with_token, "anyone")
