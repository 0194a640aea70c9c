"""Assessments: the relevance judgements of people, on the scale of their year.

The module also selects parts of assessments, declares what an assessment format is, and has the checks that
all writers of assessments share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from doxel.arguments import check_methods
from doxel.errors import InputError
from doxel.files.file_format import FileFormat
from doxel.spans import Coverage
from doxel.tables import Column, Table
from doxel.wording import pluralise, quote_value

__all__ = [
    "ASPECTS",
    "ASSESSMENT_TABLES",
    "BEPS",
    "ELEMENTS",
    "HIGHLIGHTS",
    "JUDGED",
    "AssessmentFormat",
    "Assessments",
    "check_aspects",
    "check_complete",
    "check_judged_ids",
    "join_aspects",
    "may_repeat",
    "measure_highlights",
    "remove_documents",
    "require_columns",
    "select_topics",
]

_TOPIC = Column("topic", pl.String, "the topic's id", required=True)
_DOC = Column("doc", pl.String, "the document, by id or path", required=True)
_PROBLEM = Column("problem", pl.String, "why it was not found in the collection; null if it was found")
_LINE = Column("line", pl.UInt32, "the line of the file")

JUDGED = Table(
    "judged documents",
    (
        _TOPIC,
        _DOC,
        Column("rsize", pl.Int64, "relevant characters, as declared"),
        Column("docsize", pl.Int64, "characters of the document, as declared"),
        Column("grade", pl.Float64, "the document's own grade (TREC qrels)"),
        Column("pool", pl.String, "the pool it was judged in (XML formats)"),
        Column("collection", pl.String, "the name of its collection (2005 and later)"),
        Column("number", pl.Int64, "its row in the documents of the collection; null until resolved"),
        _PROBLEM,
        Column("file", pl.String, "the file that judges it"),
        _LINE,
    ),
)

HIGHLIGHTS = Table(
    "highlighted passages",
    (
        _TOPIC,
        _DOC,
        Column("start", pl.Int64, "first character; null until resolved from a path or quote"),
        Column("end", pl.Int64, "end of the passage"),
        Column("path", pl.String, "where the passage starts"),
        Column("path_end", pl.String, "where it ends; null: at the end of path"),
        Column("text", pl.String, "the passage, quoted"),
        Column("prefix", pl.String, "the text before the quotation"),
        Column("suffix", pl.String, "the text after the quotation"),
        Column("size", pl.Int64, "its characters, as declared"),
        Column("grade", pl.Float64, "its grade; 0 or below: judged, not relevant"),
        Column("aspect", pl.String, "the aspect of the topic that it answers"),
        _PROBLEM,
        _LINE,
    ),
)

ELEMENTS = Table(
    "assessed elements",
    (
        _TOPIC,
        _DOC,
        Column("path", pl.String, "the element", required=True),
        Column("relevance", pl.String, "0 to 3 (2002)"),
        Column("coverage", pl.String, "N, L, S or E (2002)"),
        Column("exhaustivity", pl.String, "0 to 3 or U (2003-04); ?, 0, 1 or 2 (2005)"),
        Column("specificity", pl.String, "0 to 3 or U (2003-04)"),
        Column("size", pl.Int64, "its characters, as declared"),
        Column("rsize", pl.Int64, "its relevant characters, as declared"),
        Column("share", pl.Float64, "its specificity as a share, if declared instead of sizes (2005)"),
        Column("inpool", pl.Boolean, "it was in the pool (2003-04)"),
        Column("inferred", pl.Boolean, "its grade was inferred (2003-04)"),
        Column("inconsistent", pl.Boolean, "its grade contradicts others (2003-04)"),
        Column("element", pl.Int64, "its row among the elements of its document; null until resolved"),
        _PROBLEM,
        _LINE,
    ),
)

BEPS = Table(
    "best entry points",
    (
        _TOPIC,
        _DOC,
        Column("position", pl.Int64, "the character at which to start reading; null until resolved"),
        Column("path", pl.String, "the element or place in a text at which to start reading"),
        _PROBLEM,
        _LINE,
    ),
)

ASPECTS = Table(
    "aspects of topics",
    (
        _TOPIC,
        Column("aspect", pl.String, "the name of the aspect", required=True),
        Column("weight", pl.Float64, "its weight; null: 1"),
        Column("vital", pl.Boolean, "whether an answer must have it; null: it must"),
        Column("file", pl.String, "the file that declares it"),
        _LINE,
    ),
)

ASSESSMENT_TABLES = {"judged": JUDGED, "highlights": HIGHLIGHTS, "elements": ELEMENTS, "beps": BEPS}

_BOOKKEEPING = ("line", "file", "problem", "number", "element")


@check_methods
@dataclass(frozen=True)
class Assessments:
    """The relevance judgements for a set of topics.

    ``scale`` is the scale of judging: "2002" (relevance and coverage), "2003" (exhaustivity and
    specificity, 2003-04), "2005" (highlights and exhaustivity), "2006" (highlights), "documents" (TREC
    qrels).

    A document is judged once per topic; ``judged`` lists every judged document, including those with
    nothing relevant.  Highlights may name the ``aspect`` of the topic that they answer: highlights of one
    aspect are alternatives; ``aspects`` has weights of aspects, and whether they are vital.

    ``about`` holds the metadata of the file, ``notes`` are sentences about unusual data and data left out
    when reading.  ``alignments`` has the places of the quoted texts, once the assessments are resolved in
    a collection.  ``questions`` are the texts of topics, where the source of the assessments has them beside
    ids.  ``foreign_names`` are all names of a document, by the one in the tables, where the source has
    several: they are tried in a collection that lacks the first.
    """

    scale: str
    judged: pl.DataFrame
    highlights: pl.DataFrame = field(default_factory=HIGHLIGHTS.empty)
    elements: pl.DataFrame = field(default_factory=ELEMENTS.empty)
    beps: pl.DataFrame = field(default_factory=BEPS.empty)
    aspects: pl.DataFrame = field(default_factory=ASPECTS.empty)
    file: str | None = None
    format: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    alignments: pl.DataFrame | None = None
    questions: Mapping[str, str] = field(default_factory=dict)
    foreign_names: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        topics = pluralise(self.judged["topic"].n_unique(), "topic")
        judged = pluralise(self.judged.height, "judged document")
        highlights = pluralise(self.highlights.height, "highlight")
        return f"<Assessments of scale {self.scale}: {topics}, {judged}, {highlights}>"

    @property
    def topics(self) -> list[str]:
        """The assessed topics, in the order of the file."""
        return self.judged["topic"].unique(maintain_order=True).to_list()

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The assessments as the tables that a format must keep: "judged", "highlights", "elements", "beps".

        Columns for the origin of a row and for resolved values are left out.  ``aspects`` follow if there are
        any; ``about``, if not empty, is a table of one row.
        """
        tables = {name: getattr(self, name).drop(_BOOKKEEPING, strict=False) for name in ASSESSMENT_TABLES}
        if not self.has_aspects:
            tables["highlights"] = tables["highlights"].drop("aspect", strict=False)
        if self.aspects.height:
            tables["aspects"] = self.aspects.drop(_BOOKKEEPING, strict=False)
        return {**tables, "about": pl.DataFrame([dict(self.about)])} if self.about else tables

    @property
    def relevant_highlights(self) -> pl.DataFrame:
        """The highlights that make text relevant: those without a grade, or with a grade above 0.

        A highlight of grade 0 or below only judges its document; its text is not relevant.
        """
        if self.highlights["grade"].null_count() == self.highlights.height:
            return self.highlights
        return self.highlights.filter(pl.col("grade").fill_null(1.0) > 0)

    @property
    def has_aspects(self) -> bool:
        """Whether any highlight names an aspect."""
        return bool(self.highlights["aspect"].is_not_null().any())


def select_topics(assessments: Assessments, topics: Iterable[str]) -> Assessments:
    """Return the assessments of some topics.

    >>> from doxel.assessments.assessments import JUDGED
    >>> rows = [{"topic": "1", "doc": "a"}, {"topic": "2", "doc": "a"}]
    >>> select_topics(Assessments("2006", JUDGED.from_rows(rows)), ["2"]).topics
    ['2']
    """
    is_selected = pl.col("topic").is_in(list(topics))
    names = (*ASSESSMENT_TABLES, "aspects")
    return replace(assessments, **{name: getattr(assessments, name).filter(is_selected) for name in names})


def remove_documents(assessments: Assessments, documents: pl.DataFrame) -> Assessments:
    """Return the assessments as if some documents (topic, doc) had never been judged."""
    key = ["topic", "doc"]
    pairs = documents.select(key)
    tables = {
        name: getattr(assessments, name).join(pairs, on=key, how="anti", maintain_order="left")
        for name in ASSESSMENT_TABLES
    }
    aspects = assessments.aspects.join(tables["highlights"], on=_ASPECT, how="semi", maintain_order="left")
    return replace(assessments, **tables, aspects=aspects)


_ASPECT = ["topic", "aspect"]


def join_aspects(aspects: pl.DataFrame) -> pl.DataFrame:
    """Join the lines about each aspect; different weights, or vital and not vital, are an error.

    >>> rows = [{"topic": "1", "aspect": "a", "weight": 2.0}, {"topic": "1", "aspect": "a", "vital": False}]
    >>> join_aspects(ASPECTS.from_rows(rows)).select("weight", "vital").rows()
    [(2.0, False)]
    """
    for column in ("weight", "vital"):
        stated = aspects.filter(pl.col(column).is_not_null())
        first = stated.unique(_ASPECT, keep="first", maintain_order=True)
        pairs = stated.join(first, on=_ASPECT, suffix="_first", maintain_order="left")
        for row in pairs.filter(pl.col(column) != pl.col(f"{column}_first")).head(1).iter_rows(named=True):
            first_place = f"{row['file_first']}, line {row['line_first']}"
            raise InputError(
                f"topic {row['topic']}, aspect {quote_value(row['aspect'])}: {column}",
                file=row["file"],
                line=row["line"],
                wanted=f"{row[f'{column}_first']}, as in {first_place}",
                found=str(row[column]),
            )
    return aspects.group_by(_ASPECT, maintain_order=True).agg(
        *(pl.col(name).drop_nulls().first() for name in ("weight", "vital", "file", "line"))
    )


def check_aspects(assessments: Assessments) -> Assessments:
    """Return the assessments with joined aspects; a declared aspect without a highlight is an error.

    A highlight of grade 0 has no aspect.
    """
    if not assessments.aspects.height:
        return assessments
    relevant = assessments.relevant_highlights
    aspects = join_aspects(assessments.aspects)
    for row in aspects.join(relevant, on=_ASPECT, how="anti", maintain_order="left").iter_rows(named=True):
        raise InputError(
            f"topic {row['topic']}, aspect {quote_value(row['aspect'])}",
            file=row["file"],
            line=row["line"],
            wanted="a highlight of this aspect",
            found="none",
        )
    return replace(assessments, aspects=aspects)


@dataclass(frozen=True, kw_only=True)
class AssessmentFormat(FileFormat[Assessments]):
    """A format of assessments; ``scale`` is the scale of assessments read from it."""

    scale: str


_KEY = ["topic", "doc"]


def may_repeat(judged: pl.DataFrame) -> bool:
    """Return False if no document is judged twice for a topic; True is not certain.

    Comparing hashes takes a fifth of the time of comparing ids.
    """
    hashes = judged.select(_KEY).hash_rows().sort()
    return bool((hashes.slice(1) == hashes.head(-1)).any())


def check_complete(assessments: Assessments, format_name: str) -> None:
    """Reject assessments in which a document is judged twice, or has rows without being judged."""
    problem = f"cannot be written as {format_name}"
    twice = assessments.judged.filter(pl.struct(_KEY).is_duplicated())
    if twice.height:
        wanted = "each document judged once per topic"
        raise InputError(f"{_describe_pair(twice)} {problem}", wanted=wanted, found="several judgements")
    for name in ("highlights", "elements", "beps"):
        orphans = getattr(assessments, name).join(assessments.judged, on=_KEY, how="anti", nulls_equal=True)
        if orphans.height:
            wanted = f"a row in judged for each row in {name}"
            raise InputError(f"{_describe_pair(orphans)} {problem}", wanted=wanted, found="none")


def check_judged_ids(judged: pl.DataFrame, format_name: str) -> None:
    """Reject ids that contain white space, which separates columns."""
    for column in _KEY:
        invalid_ids = judged[column].filter(judged[column].fill_null("").str.contains(r"^$|\s"))
        if len(invalid_ids):
            problem = f"a {column} cannot be written as {format_name}"
            raise InputError(problem, wanted="an id without white space", found=quote_value(invalid_ids[0]))


def require_columns(
    frame: pl.DataFrame, columns: list[str], format_name: str, label: str, remedy: str
) -> None:
    """Reject rows that lack a required column of the format."""
    for column in columns:
        incomplete = frame.filter(pl.col(column).is_null())
        if incomplete.height:
            problem = f"{label} of {_describe_pair(incomplete)} cannot be written as {format_name}"
            raise InputError(problem, wanted=f"its {column}; {remedy}", found="none")


def _describe_pair(frame: pl.DataFrame) -> str:
    topic, doc = frame.select(_KEY).row(0)
    return f"topic {topic}, document {doc}"


def measure_highlights(assessments: Assessments) -> pl.Series:
    """Return the number of relevant characters of each judged document, each character counted once."""
    group = assessments.judged.select(_KEY).with_row_index("group")
    spans = assessments.relevant_highlights.join(group, on=_KEY, how="inner").drop_nulls(["start", "end"])
    coverage = Coverage(spans["group"].to_numpy(), spans["start"].to_numpy(), spans["end"].to_numpy())
    return pl.Series("rsize", coverage.total(group["group"].to_numpy()), dtype=pl.Int64)
