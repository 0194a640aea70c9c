"""The assessments of the bundled campaign, built from the assessors' marks and a collection of the handbook.

The files of all years follow from the same marks: passages and best entry points (2006, 2007 and later,
JSON lines) and, by the rule below, the exhaustivity of elements (2005).  The grades of 2002 and of 2003-04
were given element by element.

**Exhaustivity of elements.**  An element has the highest grade among the passages with which it shares
text, where 2 is higher than 1 and 1 higher than ?.  So an element that contains only fragments too small
to judge is itself "?".  Elements that are never more than a fragment are always "?": inline elements,
titles, captions and table cells.  The rule uses tags because length is a poor guide: a heading of twenty
characters is too small, a formula of twenty characters may be the whole answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from tools.demo_data.demo_marks import GradedElement, TopicMarks, read_marks

from doxel.alignment.folding import fold
from doxel.alignment.text_index import Place, TextIndex
from doxel.assessments import Assessments, write_assessments
from doxel.assessments.assessment_conversion import add_paths, add_quotations
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import BEPS, ELEMENTS, HIGHLIGHTS, JUDGED, select_topics
from doxel.assessments.relevant_sizes import measure_elements
from doxel.documents import Collection
from doxel.errors import InputError

__all__ = [
    "FRAGMENTS",
    "exhaustivity_2005",
    "graded_2002",
    "graded_2003",
    "highlighted",
    "write_demo_assessments",
]

FRAGMENTS = frozenset(
    {
        *("em", "term", "code", "math", "link", "cite", "sub", "sup"),
        *("title", "caption", "cell", "hcell", "keyword", "source"),
    }
)
"""The tags of elements that are too small to be graded, whatever they contain."""

_NAME = "handbook"
_GRADES = {"2": 2.0, "1": 1.0, "?": None}


class _QuotationFinder:
    """Finds quotations; rejects those that do not occur exactly once, and passages in the wrong order."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._texts: dict[str, tuple[TextIndex, str]] = {}

    def find(self, words: str, doc: str, file: str) -> Place:
        """Return the span of the words in a document, ignoring white space."""
        if doc not in self._texts:
            whole = self._collection[doc].text
            self._texts[doc] = TextIndex([whole]), _squeezed(whole)
        index, squeezed = self._texts[doc]
        places, _ = index.find(words, fold(words))
        same = [place for place in places if _squeezed(index.passage(*place)) == _squeezed(words)]
        # a unique exact match may have a twin with other line breaks
        if len(same) != 1 or squeezed.count(_squeezed(words)) != 1:
            wanted = f"these words once in document {doc}: {words!r}"
            problem = "text found several times" if same else "text not found"
            raise InputError("quotation", file=file, wanted=wanted, found=problem)
        return same[0]

    def span(self, first: str, last: str, doc: str, file: str) -> tuple[int, int]:
        """Return the span of a passage, from its first words to its last."""
        start, end = self.find(first, doc, file).start, self.find(last, doc, file).end
        if end <= start:
            wanted = f"{last!r} after {first!r} in document {doc}"
            raise InputError("passage", file=file, wanted=wanted, found="the words in the other order")
        return start, end


def _squeezed(text: str) -> str:
    return "".join(text.split())


def highlighted(collection: Collection, marks: Sequence[TopicMarks] | None = None) -> Assessments:
    """Return the highlights and best entry points of all topics, with their positions.

    The grade of a highlight is the exhaustivity of its passage, null for a fragment.
    """
    topics = read_marks() if marks is None else marks
    finder = _QuotationFinder(collection)
    assessments = Assessments(
        scale="2006",
        judged=JUDGED.from_rows(_judged(topics)),
        highlights=HIGHLIGHTS.from_rows(_highlights(topics, finder)),
        beps=BEPS.from_rows(_entry_points(topics, finder)),
    )
    return resolve_assessments(assessments, collection)


def _judged(marks: Sequence[TopicMarks]) -> Iterator[dict[str, object]]:
    for topic in marks:
        docs = sorted([document.doc for document in topic.relevant] + list(topic.nonrelevant))
        for doc in docs:
            yield {"topic": topic.topic, "doc": doc, "pool": topic.topic, "collection": _NAME}


def _highlights(marks: Sequence[TopicMarks], finder: _QuotationFinder) -> Iterator[dict[str, object]]:
    for topic in marks:
        for document in sorted(topic.relevant, key=lambda document: document.doc):
            for passage in document.passages:
                start, end = finder.span(passage.first, passage.last, document.doc, topic.file)
                grade = _GRADES[passage.exhaustivity]
                yield _row(topic, document.doc, start=start, end=end, grade=grade)


def _entry_points(marks: Sequence[TopicMarks], finder: _QuotationFinder) -> Iterator[dict[str, object]]:
    for topic in marks:
        for document in sorted(topic.relevant, key=lambda document: document.doc):
            place = finder.find(document.bep, document.doc, topic.file)
            yield _row(topic, document.doc, position=place.start)


def _row(topic: TopicMarks, doc: str, **values: object) -> dict[str, object]:
    return {"topic": topic.topic, "doc": doc, **values}


def exhaustivity_2005(collection: Collection, marks: Sequence[TopicMarks] | None = None) -> Assessments:
    """Return assessments as in 2005: passages, and the exhaustivity of every element that overlaps one."""
    base = highlighted(collection, marks)
    elements = _relevant_elements(base, collection).with_columns(
        exhaustivity=pl.when(pl.col("tag").is_in(sorted(FRAGMENTS)))
        .then(pl.lit("?"))
        .when(pl.col("rsize_2") > 0)
        .then(pl.lit("2"))
        .when(pl.col("rsize_1") > 0)
        .then(pl.lit("1"))
        .otherwise(pl.lit("?"))
    )
    ungraded = base.highlights.with_columns(grade=pl.lit(None, dtype=pl.Float64))
    return replace(
        base, scale="2005", highlights=ungraded, elements=ELEMENTS.fit(elements), beps=BEPS.empty()
    )


def _relevant_elements(base: Assessments, collection: Collection) -> pl.DataFrame:
    """Return every element with highlighted text: path, tag, sizes, and its relevant size per grade."""
    key = ["topic", "doc", "element"]
    elements = measure_elements(base, collection).filter(pl.col("rsize") > 0)
    for grade in (1, 2):
        of_grade = replace(base, highlights=base.highlights.filter(pl.col("grade") == grade))
        sizes = measure_elements(of_grade, collection).select(*key, **{f"rsize_{grade}": "rsize"})
        elements = elements.join(sizes, on=key, how="left", maintain_order="left")
    documents = elements["doc"].unique(maintain_order=True)
    outlines = [
        collection[doc].elements.select("path", "tag").with_row_index("element").with_columns(doc=pl.lit(doc))
        for doc in documents
    ]
    outline = pl.concat(outlines).with_columns(pl.col("element").cast(pl.Int64))
    return elements.join(outline, on=["doc", "element"], how="left", maintain_order="left")


def graded_2002(collection: Collection, marks: Sequence[TopicMarks] | None = None) -> Assessments:
    """Return the elements graded by hand with relevance and coverage."""
    topics = read_marks() if marks is None else marks
    return _collect_grades("2002", [(topic, topic.grades_2002) for topic in topics], collection)


def graded_2003(collection: Collection, marks: Sequence[TopicMarks] | None = None) -> Assessments:
    """Return the elements graded by hand with exhaustivity and specificity, 0 to 3."""
    topics = read_marks() if marks is None else marks
    return _collect_grades("2003", [(topic, topic.grades_2003) for topic in topics], collection)


def _collect_grades(
    scale: str, graded: Iterable[tuple[TopicMarks, tuple[GradedElement, ...]]], collection: Collection
) -> Assessments:
    judged: dict[tuple[str, str], dict[str, object]] = {}
    elements: list[dict[str, object]] = []
    for topic, graded_elements in graded:
        for element in graded_elements:
            _check_guard(element, topic.file, collection)
            judged.setdefault((topic.topic, element.doc), _row(topic, element.doc, pool=topic.topic))
            elements.append(_row(topic, element.doc, path=element.path, **_columns(element.grades, scale)))
    table = ELEMENTS.from_rows(elements)
    assessments = Assessments(scale=scale, judged=JUDGED.from_rows(judged.values()), elements=table)
    return resolve_assessments(assessments, collection)


def _columns(grades: Mapping[str, Any], scale: str) -> dict[str, object]:
    if scale == "2002":
        return {name: str(grade) for name, grade in grades.items()}
    inferred = bool(grades["inferred"])
    return {
        "exhaustivity": str(grades["exhaustivity"]),
        "specificity": str(grades["specificity"]),
        "inpool": not inferred,
        "inferred": inferred,
        "inconsistent": False,
    }


def _check_guard(element: GradedElement, file: str, collection: Collection) -> None:
    """Reject an element whose first words differ from those that were graded."""
    document = collection[element.doc]
    text = _squeezed(document.text_of(document.find(element.path)))
    if not text.startswith(_squeezed(element.begins)):
        raise InputError(
            f"element {element.path} of document {element.doc}",
            file=file,
            wanted=f"text that begins with {element.begins!r}",
            found=repr(text[:40]),
        )


def write_demo_assessments(collection: Collection, folder: str | Path) -> dict[str, Path]:
    """Write the assessments in all formats; return the file or folder of each format."""
    out = Path(folder)
    base = highlighted(collection)
    elements = _relevant_elements(base, collection)
    with_elements = replace(add_paths(base, collection), elements=ELEMENTS.fit(elements))
    return {
        "qrels": _file(base, out / "handbook.qrels", "qrels"),
        "jsonl": _file(add_quotations(base, collection), out / "handbook.jsonl", "jsonl"),
        "inex2006": _folder(with_elements, out / "inex2006", "inex2006"),
        "inex2005": _folder(
            add_paths(exhaustivity_2005(collection), collection), out / "inex2005", "inex2005"
        ),
        "inex2003": _file(graded_2003(collection), out / "inex2003.xml", "inex2003"),
        "inex2002": _file(graded_2002(collection), out / "inex2002.xml", "inex2002"),
    }


def _file(assessments: Assessments, path: Path, format_name: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_assessments(assessments, path, format_name)
    return path


def _folder(assessments: Assessments, folder: Path, format_name: str) -> Path:
    """Write one file per topic, in the folders of the campaigns."""
    for topic in assessments.topics:
        part = select_topics(assessments, [topic])
        _file(part, folder / "done" / f"topic-{topic}" / f"pool-{topic}.xml", format_name)
    return folder
