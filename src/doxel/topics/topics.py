"""Topics: their fields, as the topic authors wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

import polars as pl

from doxel.arguments import check_methods
from doxel.errors import InputError
from doxel.tables import Column, Table
from doxel.wording import join_words, pluralise

__all__ = ["TOPICS", "Topic", "Topics"]

TOPICS = Table(
    "topics",
    (
        Column("id", pl.String, "the topic's id", required=True),
        Column("kind", pl.String, "CO, CAS, VCAS, CO+S, ...: the query_type of 2002 to 2008"),
        Column("title", pl.String, "the query in words; until 2004 a CAS topic's query with structure"),
        Column("castitle", pl.String, "the query with structure, in NEXI (2005 and later)"),
        Column("phrasetitle", pl.String, "the query with phrases (2009 and later)"),
        Column("description", pl.String, "the need in one sentence"),
        Column("narrative", pl.String, "the need at length, and what is relevant"),
        Column("keywords", pl.String, "words to explore the collection with (2003 to 2005)"),
        Column("ontopic_keywords", pl.String, "words expected in relevant text (2006 to 2008)"),
        Column("mmtitle", pl.String, "the query with images (multimedia tracks)"),
        Column("parent", pl.String, "the topic that this one was made from"),
        Column("ct_no", pl.String, "the number of the candidate topic"),
        Column("about", pl.String, "any other fields, as a JSON object"),
        Column("file", pl.String, "the file that contains it"),
        Column("line", pl.UInt32, "the line of the file"),
    ),
)


@check_methods
@dataclass(frozen=True)
class Topic:
    """One topic; missing fields are None."""

    id: str
    kind: str | None = None
    title: str | None = None
    castitle: str | None = None
    phrasetitle: str | None = None
    description: str | None = None
    narrative: str | None = None
    keywords: str | None = None
    ontopic_keywords: str | None = None
    mmtitle: str | None = None
    parent: str | None = None
    ct_no: str | None = None
    about: Mapping[str, object] = field(default_factory=dict)

    @property
    def query(self) -> str | None:
        """The query with structure if there is one, else the title.

        >>> Topic("1", kind="CAS", title="//sec[about(., trees)]").query
        '//sec[about(., trees)]'
        """
        return self.castitle or self.title

    @property
    def nexi(self) -> str | None:
        """The query with structure, or None; in a CAS topic until 2004 it is the title.

        >>> Topic("1", kind="CO", title="trees").nexi is None
        True
        """
        return self.castitle or (self.title if self.kind and self.kind.upper().endswith("CAS") else None)


_FIELDS = tuple(topic_field.name for topic_field in fields(Topic))


@check_methods
@dataclass(frozen=True)
class Topics:
    """A set of topics in file order; ``table`` has the columns of ``TOPICS``.

    ``notes`` are remarks of the reader, such as files that were left out.

    >>> topics = Topics.of([Topic("7", title="trees"), Topic("9", title="graphs")])
    >>> [topic.title for topic in topics], topics["9"].title, "8" in topics
    (['trees', 'graphs'], 'graphs', False)
    """

    table: pl.DataFrame
    format: str | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, topics: list[Topic]) -> Topics:
        """Return a set of the given topics."""
        topics = list(topics)
        stranger = next((topic for topic in topics if not isinstance(topic, Topic)), None)
        if stranger is not None:  # the items of an iterator are checked only here
            raise InputError(
                "topics",
                wanted="objects of the class Topic",
                found=f"an object of type {type(stranger).__name__}",
            )
        rows = ({name: _convert_field(topic, name) for name in _FIELDS} for topic in topics)
        return cls(TOPICS.from_rows(rows))

    def __repr__(self) -> str:
        return f"<Topics: {pluralise(len(self), 'topic')}>"

    def __len__(self) -> int:
        return self.table.height

    def __iter__(self) -> Iterator[Topic]:
        return map(_build_topic, self.table.select(_FIELDS).iter_rows(named=True))

    def __contains__(self, topic: object) -> bool:
        return isinstance(topic, str) and topic in self.ids

    def __getitem__(self, topic: str) -> Topic:
        ids = self.ids
        if topic not in ids:
            wanted = f"one of {join_words(ids, 10)}" if ids else "a set that contains topics"
            raise InputError("no such topic", wanted=wanted, found=repr(topic))
        row = self.table.row(ids.index(topic), named=True)
        return _build_topic({name: row[name] for name in _FIELDS})

    @property
    def ids(self) -> list[str]:
        """The ids, in file order."""
        return self.table["id"].to_list()

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The data that a format must store: the table without file and line."""
        return {"topics": self.table.drop("file", "line")}


def _convert_field(topic: Topic, name: str) -> object:
    value = getattr(topic, name)
    if name == "about":
        return json.dumps(dict(value), ensure_ascii=False) if value else None
    return value


def _build_topic(row: dict[str, str | None]) -> Topic:
    about = json.loads(row.pop("about") or "{}")
    return Topic(**row, about=about)  # type: ignore[arg-type]  # id is never null
