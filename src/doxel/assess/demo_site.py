"""A site to try out: the bundled campaign, three people, half-judged assignments and a disagreement.

olga organises; anna and ben judge.  anna has finished topic 1 and half of topic 2; ben has judged a part of
topic 1 differently, so that there is something to compare and to decide, and has not begun topic 3.  Topic 4
is split between both, and topic 5 waits for an assessor.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from sqlalchemy import Connection

from doxel.assess.office.administration import COMMAND_LINE, admit_user, assign_topic
from doxel.assess.office.assessment_import import import_assessments
from doxel.assess.office.work_plan import PlanRequest, apply_plan, make_plan
from doxel.assess.store.accounts import hash_password
from doxel.assess.store.campaign_settings import store_guidelines, store_setting, store_topics
from doxel.assess.store.database import Store, open_store
from doxel.assess.store.pooled_documents import Library, add_pooled_documents, bind_collection
from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.campaign.demo_campaign import DemoFiles, write_demo
from doxel.documents import read_collection
from doxel.errors import InputError
from doxel.files import write_folder
from doxel.pooling import PooledDocument

__all__ = ["DEMO_DATABASE", "DemoSite", "write_demo_site"]

DEMO_DATABASE = "site.sqlite"
_ROLES = {"olga": "organiser", "anna": "assessor", "ben": "assessor"}
_FINISHED, _HALF, _FRESH, _SHARED, _WAITING = "1", "2", "3", "4", "5"
_SHORTER = 0.6  # of each passage of anna: what ben marks
_GUIDELINES = """\
# What counts as relevant

Highlight **all** text that answers the topic, and nothing else.

- Judge what the text says, not what you know.
- A list of links, or a title alone, is not relevant.
- If you are in doubt, read the narrative of the topic again, then decide, and write a *note*.

## When you are done

Set the best entry point where a reader should start, and mark the document as done.
"""


@dataclass(frozen=True)
class DemoSite:
    """The files of a demo site, and the passwords of its people."""

    folder: Path
    database: Path
    collection: Path
    topics: Path
    passwords: Mapping[str, str]


def write_demo_site(folder: Path) -> DemoSite:
    """Write the bundled campaign and its database to a folder that holds no database yet."""
    database = folder / DEMO_DATABASE
    if database.exists():
        wanted = "a folder without one, or 'doxel assess serve' to go on with it"
        raise InputError("a demo exists already", file=str(database), wanted=wanted, found="a database")
    passwords = {name: "-".join(secrets.token_hex(2) for _ in range(3)) for name in _ROLES}
    with write_folder(folder, last=DEMO_DATABASE, replace=True) as staged:
        files = write_demo(staged)
        _fill_database(staged / DEMO_DATABASE, files, passwords, folder / files.collection.name)
    return DemoSite(folder, database, folder / files.collection.name, folder / files.topics.name, passwords)


def _fill_database(path: Path, files: DemoFiles, passwords: Mapping[str, str], collection: Path) -> None:
    """Fill a new database from the files of a campaign; ``collection`` is the final path of the documents."""
    library = Library(read_collection(files.collection))
    assessments = read_assessments(files.assessments["qrels"])
    with open_store(path) as store:
        _add_people(store, passwords)
        with store.write() as connection:
            bind_collection(connection, library)
            _add_pool(connection, library, assessments)
            store_setting(connection, "name", "The handbook, a demo")
            store_guidelines(connection, _GUIDELINES.strip())
            store_topics(connection, files.topics.name, files.topics.read_bytes())
        _add_judgements(store, library, assessments)
        with store.write() as connection:
            store_setting(connection, "collection", str(collection.absolute()))
            assign_topic(connection, COMMAND_LINE, _FRESH, "ben")
            apply_plan(
                connection,
                COMMAND_LINE,
                make_plan(connection, PlanRequest("split", (_SHARED,), ("anna", "ben"))),
            )


def _add_people(store: Store, passwords: Mapping[str, str]) -> None:
    hashes = {name: hash_password(password) for name, password in passwords.items()}
    with store.write() as connection:
        for name, role in _ROLES.items():
            admit_user(connection, COMMAND_LINE, name, hashes[name], role)


def _add_pool(connection: Connection, library: Library, assessments: Assessments) -> None:
    """Pool the judged documents of five topics."""
    judged_documents = assessments.judged.filter(
        pl.col("topic").is_in([_FINISHED, _HALF, _FRESH, _SHARED, _WAITING])
    )
    places: dict[str, int] = {}
    documents = []
    for topic, doc in judged_documents.select("topic", "doc").iter_rows():
        places[topic] = places.get(topic, 0) + 1
        documents.append(PooledDocument(topic, doc, places[topic]))
    add_pooled_documents(connection, library, documents)


def _add_judgements(store: Store, library: Library, assessments: Assessments) -> None:
    """Import the work of anna, and that of ben, who marks less and stops half-way."""
    docs = {
        topic: assessments.judged.filter(pl.col("topic") == topic)["doc"].to_list()
        for topic in (_FINISHED, _HALF)
    }
    halves = {_HALF: docs[_HALF][: len(docs[_HALF]) // 2]}
    import_assessments(store, library, _select(assessments, {_FINISHED: docs[_FINISHED], **halves}), "anna")
    part = _select(assessments, {_FINISHED: docs[_FINISHED][: 2 * len(docs[_FINISHED]) // 3]})
    size = ((pl.col("end") - pl.col("start")) * _SHORTER).cast(pl.Int64) + 1
    shorter = pl.min_horizontal(pl.col("start") + size, pl.col("end"))
    highlights = part.highlights.with_columns(shorter.alias("end"))
    import_assessments(store, library, replace(part, highlights=highlights), "ben")


def _select(assessments: Assessments, docs: Mapping[str, list[str]]) -> Assessments:
    """Return the assessments of some documents of some topics."""
    pairs = pl.DataFrame(
        [(topic, doc) for topic, topic_docs in docs.items() for doc in topic_docs],
        schema={"topic": pl.String, "doc": pl.String},
        orient="row",
    )
    tables = {
        name: getattr(assessments, name).join(pairs, on=["topic", "doc"], how="semi", maintain_order="left")
        for name in ASSESSMENT_TABLES
    }
    return replace(assessments, **tables)
