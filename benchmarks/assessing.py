"""Assessing: many concurrent clients of the server, on both databases; also while the server is killed.

Clients use HTTP over bare sockets, so that the server gets most of the processor time.  Each sends its events
at fixed times: highlights and their undos; some clients adjudicate the work of others and send decisions.
The delay of an event is counted from the time when it was due, so that a server that keeps clients waiting
cannot hide it.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tools.postgres import new_database, postgres_programs, temporary_postgres

from benchmarks.lines import Gate, Line, unavailable
from benchmarks.measuring import UnavailableError
from benchmarks.samples import Samples
from benchmarks.serving import free_port, quick_hash, running_server

__all__ = ["measure"]

_CLIENTS, _RATE = 50, 500  # events a second, all clients together
_ADJUDICATORS = 5  # of the clients
_SLOWEST, _NONE = Gate("<", 250.0), Gate("<=", 0.0)
_PASSWORD = "a password of the benchmark"  # noqa: S105 -- of a database that is thrown away


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the figures of both databases."""
    is_full = samples.scale.name == "full"
    seconds, killed = (60.0, 20.0) if is_full else (1.0, 1.0)
    with tempfile.TemporaryDirectory(prefix="doxel-bench-") as name:
        folder = Path(name)
        campaign = _Campaign.make(folder)
        yield from _measured("SQLite", campaign, str(folder / "assess.sqlite"), seconds, killed)
        programs = postgres_programs()
        if programs is None:
            yield unavailable(
                "assess: PostgreSQL", "it is not installed: 'make system' installs it", _SLOWEST
            )
            return
        with temporary_postgres(programs) as server:
            yield from _measured("PostgreSQL", campaign, new_database(server), seconds, killed)


def _measured(kind: str, campaign: _Campaign, database: str, seconds: float, killed: float) -> Iterator[Line]:
    campaign.fill(database)
    done = asyncio.run(_load(campaign, database, seconds, kill=False))
    waits = np.array(done.waits) * 1000
    middle, most, worst = (float(np.percentile(waits, share)) for share in (50, 99, 100))
    load = f"{len(waits) / seconds:.0f} events a second for {seconds:g} s, {_CLIENTS} clients"
    remark = f"{load}; median {middle:.1f} ms, longest {worst:.0f} ms"
    yield Line(f"assess: {kind}, 99th percentile", most, "ms", _SLOWEST, remark)
    yield _missing(f"assess: {kind}, lost or twice", campaign, database, done)
    done = asyncio.run(_load(campaign, database, killed, kill=True))
    yield _missing(f"assess: {kind}, lost or twice after kill -9", campaign, database, done)


def _missing(name: str, campaign: _Campaign, database: str, done: _Done) -> Line:
    """Compare the acknowledged events with the stored ones."""
    stored = campaign.stored(database)
    lost = sum(seq not in stored or stored[seq] != key for seq, key in done.acknowledged.items())
    twice = sum(count - 1 for count in Counter(stored.values()).values())
    never = len(set(done.sent) - set(stored.values()))
    kinds = f"{done.undos:,} undos and {done.decisions:,} decisions among them"
    remark = (
        f"{len(done.acknowledged):,} acknowledged of {len(done.sent):,} sent, {kinds}; {done.again:,} again"
    )
    return Line(name, float(lost + twice + never), "events", _NONE, remark)


Key = tuple[str, int]


@dataclass
class _Done:
    """The events that clients sent, and their acknowledgements."""

    sent: list[Key] = field(default_factory=list)
    acknowledged: dict[int, Key] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    again: int = 0
    undos: int = 0
    decisions: int = 0


@dataclass(frozen=True)
class _Campaign:
    """The bundled handbook, one topic, and documents to judge."""

    collection: Path
    pool: Path
    documents: list[tuple[str, str, int]]  # id, fingerprint, characters

    @classmethod
    def make(cls, folder: Path) -> _Campaign:
        from importlib.resources import as_file, files

        from doxel.documents import read_collection
        from doxel.documents.ingestion import ingest

        with as_file(files("doxel") / "data" / "handbook") as source:
            ingest(source, folder / "handbook.doxel")
        collection = read_collection(folder / "handbook.doxel")
        rows = collection.documents.select("doc", "text_hash", "characters").rows()
        lines = [
            {"topic": "1", "doc": row[0], "order": number, "fingerprint": collection.fingerprint}
            for number, row in enumerate(rows, 1)
        ]
        pool = folder / "pool.jsonl"
        pool.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return cls(folder / "handbook.doxel", pool, rows)

    def fill(self, database: str) -> None:
        """Give the topic to as many assessors as there are clients."""
        from doxel.assess.assessment_setup import read_setup
        from doxel.assess.store.accounts import add_user
        from doxel.assess.store.adjudications import add_sources
        from doxel.assess.store.assignments import create_assignment

        place = read_setup(database=database, collection=str(self.collection), pools=[str(self.pool)])
        hashed = quick_hash(_PASSWORD)
        store = place.store()
        place.prepare(store, place.library())
        with store.write() as connection:
            for number in range(_CLIENTS):
                user = add_user(connection, f"client-{number}", hashed)
                assignment = create_assignment(connection, "1", user)
                if number >= _CLIENTS - _ADJUDICATORS:
                    add_sources(connection, assignment, [1, 2, 3])
        store.close()

    def stored(self, database: str) -> dict[int, Key]:
        """Return all events of the database by number."""
        from sqlalchemy import select

        from doxel.assess.store.database import open_store
        from doxel.assess.store.database_schema import EVENTS

        store = open_store(database)
        with store.read() as connection:
            rows = connection.execute(select(EVENTS.c.seq, EVENTS.c.client, EVENTS.c.sequence)).all()
        store.close()
        return {seq: (client, sequence) for seq, client, sequence in rows}


async def _load(campaign: _Campaign, database: str, seconds: float, *, kill: bool) -> _Done:
    """Let all clients send for some time; with ``kill``, kill the server half-way and start it again."""
    port = free_port()
    done, label = _Done(), f"{random.randrange(1 << 40):x}"
    with running_server(campaign.collection, campaign.pool, database, port) as process:
        clients = [_Client(campaign, port, number, f"{label}-{number}") for number in range(_CLIENTS)]
        for client in clients:
            await client.sign_in()
        begin = time.monotonic() + 0.2
        tasks = [asyncio.create_task(client.work(begin, seconds, done)) for client in clients]
        if not kill:
            await asyncio.gather(*tasks)
            return done
        await asyncio.sleep(0.2 + seconds / 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with running_server(campaign.collection, campaign.pool, database, port):
            await asyncio.gather(*tasks)
    return done


class _Client:
    """One assessor's browser: it sends each event when it is due, and again until it is acknowledged."""

    def __init__(self, campaign: _Campaign, port: int, number: int, name: str) -> None:
        self._campaign, self._port, self._number, self._name = campaign, port, number, name
        self._random = random.Random(number)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._headers = ""
        self._assignment = 0
        self._last: dict[str, Any] | None = None  # the highlight that can be undone

    async def sign_in(self) -> None:
        """Begin a session."""
        credentials = {"name": f"client-{self._number}", "password": _PASSWORD}
        _, head, data = await self._ask("POST", "/api/session", credentials)
        cookie = re.search(r"set-cookie: (doxel=[^;]+)", head, re.IGNORECASE)
        if cookie is None:
            raise UnavailableError(f"cannot sign in: {data}")
        self._headers = f"Cookie: {cookie[1]}\r\nX-CSRF-Token: {data['csrf']}\r\n"
        _, _, data = await self._ask("GET", "/api/assignments", None)
        self._assignment = data["assignments"][0]["id"]

    async def work(self, begin: float, seconds: float, done: _Done) -> None:
        """Send events at fixed times, over a new connection: the server has closed idle ones."""
        self._streams = None
        pause = _CLIENTS / _RATE
        due = begin + pause * self._number / _CLIENTS
        sequence = 0
        while due < begin + seconds:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            done.sent.append((self._name, sequence))
            event = self._event(sequence)
            done.undos += "reverts" in event
            done.decisions += event["kind"] == "decide"
            done.acknowledged[await self._send(event, done)] = (self._name, sequence)
            done.waits.append(time.monotonic() - due)
            sequence += 1
            due += pause

    def _event(self, sequence: int) -> dict[str, Any]:
        """Return a highlight, the undo of one or an event of the client's role, in equal shares."""
        step = {"client": self._name, "sequence": sequence, "step": f"{self._name}.{sequence}"}
        if self._last is not None and sequence % 3 == 1:
            last, self._last = self._last, None
            return {**last, **step, "kind": "unhighlight", "reverts": last["step"]}
        doc, fingerprint, characters = self._random.choice(self._campaign.documents)
        start = self._random.randrange(characters - 200)
        body = {"spans": [[start, start + self._random.randrange(1, 200)]]}
        common = {"doc": doc, "fingerprint": fingerprint, **step}
        if sequence % 3 == 0:
            self._last = {**common, "kind": "highlight", "body": body}
            return self._last
        if self._number >= _CLIENTS - _ADJUDICATORS:
            decision = {"place": f"{start}-{start + 200}", "decision": self._random.choice(["union", "1"])}
            return {**common, "kind": "decide", "body": decision}
        return {**common, "kind": self._random.choice(["highlight", "unhighlight"]), "body": body}

    async def _send(self, event: dict[str, Any], done: _Done) -> int:
        while True:
            try:
                status, _, data = await self._ask(
                    "POST", f"/api/assignments/{self._assignment}/events", {"events": [event]}
                )
                if status == 200:
                    return int(data["results"][0]["seq"])
                if status < 500:
                    raise UnavailableError(f"an event was refused: {data}")
            except (OSError, asyncio.IncompleteReadError):
                self._streams = None
            done.again += 1
            await asyncio.sleep(0.2)

    async def _ask(self, method: str, path: str, body: Any) -> tuple[int, str, Any]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{self._headers}"
        writer.write(
            f"{head}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data
        )
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        size = int(re.search(r"content-length: (\d+)", answer, re.IGNORECASE)[1])  # type: ignore[index]
        return int(answer.split(" ", 2)[1]), answer, json.loads(await reader.readexactly(size))
