"""Set up a campaign in the browser: files on the server, uploaded files, and the steps that remain.

Organisers choose only files in the folder in which the server was started, or in the one of ``--files``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from doxel.assess.office.administration import record_action
from doxel.assess.store.accounts import list_users
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.campaign_settings import read_campaign_settings, store_topics
from doxel.assess.store.pooled_documents import Library, add_pooled_documents, bind_collection, list_topics
from doxel.documents import Collection, read_collection
from doxel.documents.manifest import MANIFEST_FILE
from doxel.errors import InputError
from doxel.files.compression import decompress
from doxel.files.contents import read_bytes
from doxel.pooling.pool_files import parse_pool
from doxel.topics import Topics
from doxel.topics.topic_files import TOPIC_FORMATS
from doxel.wording import pluralise

__all__ = [
    "FileChoices",
    "SetupSteps",
    "add_pool",
    "choose_collection",
    "find_file",
    "list_file_choices",
    "read_setup_steps",
    "replace_topics",
]

_DEEPEST = 3  # folders below the folder of the server
_MOST_LOOKED_AT = 5_000  # files and folders
_HEAD = 4_000  # bytes by which a file is recognised
_SUFFIXES = {".xml", ".jsonl", ".json", ".tsv", ".txt", ".topics", ".pool"}


@dataclass(frozen=True)
class FileChoices:
    """The files on the server that can be chosen, as paths below its folder."""

    collections: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()


def list_file_choices(folder: Path | None) -> FileChoices:
    """Return the collections, topic files and pools in a folder, recognised by their content."""
    if folder is None:
        return FileChoices()
    collections: list[str] = []
    topics: list[str] = []
    pools: list[str] = []
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            collections.append(name)
        elif _is_pool(head := _read_head(path)):
            pools.append(name)
        elif any(topic_format.recognises(head) for topic_format in TOPIC_FORMATS):
            topics.append(name)
    return FileChoices(tuple(collections), tuple(topics), tuple(pools))


def _walk(folder: Path) -> Iterator[Path]:
    """Yield collections, and files that may be topics or pools; stop after a limited number of files."""
    count = 0
    for name, folders, files in os.walk(folder):
        path = Path(name)
        depth = len(path.relative_to(folder).parts)
        if MANIFEST_FILE in files and path != folder:
            yield path
            folders.clear()
            continue
        folders[:] = sorted(child for child in folders if not child.startswith(".") and depth < _DEEPEST)
        count += len(folders) + len(files)
        if count > _MOST_LOOKED_AT:
            return
        yield from (path / file for file in sorted(files) if Path(file).suffix in _SUFFIXES)


def _read_head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_HEAD)
    except OSError:
        return b""


def _is_pool(head: bytes) -> bool:
    """Return whether a file is a pool: its first line has a topic, a document and an order.

    >>> _is_pool(b'{"topic": "1", "doc": "a", "order": 1, "elements": [{"path": "')
    True
    >>> _is_pool(b'{"topic": "1", "doc": "a", "start": 1, "end": 2}')
    False
    """
    line = head.split(b"\n", 1)[0]
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):  # a long first line is cut
        return all(key in line for key in (b'"topic"', b'"doc"', b'"order"'))
    return isinstance(record, dict) and {"topic", "doc", "order"} <= record.keys()


def find_file(folder: Path | None, name: str) -> Path:
    """Return the path of a chosen file; raise an error if it is not inside the folder."""
    top = None if folder is None else folder.resolve()
    path = None if top is None or "\0" in name else (top / name).resolve()
    if top is None or path is None or not path.is_relative_to(top) or not path.exists():
        raise InputError("a file on the server", wanted="a file in the server's folder", found=repr(name))
    return path


def choose_collection(connection: Connection, actor: str, path: Path) -> Collection:
    """Bind the database to a collection on the server, and return it."""
    collection = read_collection(path)
    bind_collection(connection, Library(collection))
    record_action(
        connection, actor, "documents chosen", f"{path.name}: {pluralise(len(collection), 'document')}"
    )
    return collection


def replace_topics(connection: Connection, actor: str, name: str, data: bytes | Path) -> Topics:
    """Replace the topics in the database by those of a file, and return them."""
    content = read_bytes(data) if isinstance(data, Path) else decompress(data, name)
    topics = store_topics(connection, name, content)
    record_action(connection, actor, "topics replaced", f"{name}: {pluralise(len(topics), 'topic')}")
    return topics


def add_pool(connection: Connection, actor: str, library: Library, name: str, data: bytes | Path) -> int:
    """Add the documents of a pool file, and return how many are new."""
    if library.is_empty:
        raise InputError("a pool", wanted="documents, chosen before the pool", found="none")
    content = read_bytes(data) if isinstance(data, Path) else decompress(data, name)
    pool = parse_pool([(name, content)])
    pool.require(library.collection)
    count = add_pooled_documents(connection, library, pool)
    record_action(connection, actor, "pool added", f"{name}: {pluralise(count, 'new document')}")
    return count


@dataclass(frozen=True)
class SetupSteps:
    """The state of the set-up: the campaign's documents, pooled documents, topics, people and assignments."""

    name: str
    guidelines: str
    documents: int
    collection: str
    topics: int
    pooled_topics: int
    pooled_documents: int
    people: int
    assignments: int

    @property
    def first_open(self) -> str | None:
        """The first step that is still to do, None if all are done; guidelines may be left out."""
        steps = {
            "name": self.name,
            "documents": self.documents,
            "topics": self.topics,
            "pool": self.pooled_documents,
            "people": self.people > 1,
            "assign": self.assignments,
        }
        return next((step for step, is_done in steps.items() if not is_done), None)


def read_setup_steps(connection: Connection, library: Library, topics: Topics | None) -> SetupSteps:
    """Return the state of the set-up."""
    settings = read_campaign_settings(connection)
    sizes = list_topics(connection)
    return SetupSteps(
        name=settings.name,
        guidelines=settings.guidelines,
        documents=0 if library.is_empty else len(library.collection),
        collection="" if library.is_empty else Path(library.collection.folder).name,
        topics=0 if topics is None else len(topics),
        pooled_topics=len(sizes),
        pooled_documents=sum(count for _, count in sizes),
        people=sum(not user.disabled for user in list_users(connection)),
        assignments=len(list_assignments(connection)),
    )
