"""The runs of the bundled campaign, made by a dozen methods from topic titles and descriptions alone.

The assessments are not used.  Scores are rounded before they are sorted, and ties are broken by document
and offset, so that the files are the same on every machine, byte for byte.

===================  ===========================================================  ======================
run                  method                                                       format and task
===================  ===========================================================  ======================
bm25-articles        BM25 over whole articles                                     TREC
bm25-sections        BM25 over sections of all levels                             INEX XML 2005, Thorough
tfidf-leaves         cosine of tf-idf over paragraphs, items, tables and the like  paths
bm25-elements        BM25 over articles, sections, examples and leaves, one list  INEX XML 2006, Thorough
bm25-focused         the same without overlap, the better-scored kept             INEX XML 2006, Focused
lm-focused           a language model with a length prior, without overlap        FOL
bm25-context         articles by BM25, the good leaves of each in reading order   INEX XML 2007, in context
bm25-entry           articles by BM25, entered at their best section              entry points
article-start        the same articles, entered at their first character          INEX XML 2006, in context
windows-overlapping  BM25 over windows of 200 words, one every 100 words          JSON lines
windows-disjoint     BM25 over windows of 200 words, side by side                 FOL
focused-invalid      declared Focused, with overlap and a path that does not exist  INEX XML 2006, Focused
===================  ===========================================================  ======================
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from doxel.documents import Collection, read_collection
from doxel.documents.ingestion import ingest
from doxel.spans import Floats
from doxel.topics import Topic, read_topics

__all__ = ["make_runs"]

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be been before but by can do does for from had has have how if in into is it "
        "its made make more of on or one own so than that the their them there these this those to was were "
        "what when where which who why will with",
    )
)
LEAVES = frozenset({"p", "item", "formula", "note", "table", "summary", "figure-text"})
LARGE = frozenset({"article", "section", "example"})
WINDOW, STRIDE = 200, 100
K1, B = 1.2, 0.75  # of BM25
MIXTURE, PRIOR = 0.8, 1.0  # of the language model: weight of the unit, and of the log of its length


def terms(text: str) -> list[str]:
    """Return the words of a text in lower case, without stop words and without the plural s."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return [_singular(word) for word in words if word not in STOP_WORDS]


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]  # ties, not ty


def query(topic: Topic) -> Counter[str]:
    """Return the terms of title and description with their weights; words with a minus are left out.

    A word of the title counts twice, one with a plus three times.
    """
    title = topic.title or ""
    signed = {sign: terms(" ".join(re.findall(rf"(?:^|\s)\{sign}(\S+)", title))) for sign in "+-"}
    weights = Counter(2 * terms(title) + signed["+"] + terms(topic.description or ""))
    return Counter({term: weight for term, weight in weights.items() if term not in signed["-"]})


@dataclass(frozen=True)
class Unit:
    """A retrieval unit: a span of a document, an element if it has a path."""

    doc: str
    start: int
    end: int
    path: str = ""
    tag: str = ""

    @property
    def above(self) -> list[str]:
        """The paths of the elements that contain it."""
        return [self.path[: slash.start()] for slash in re.finditer("/", self.path)][1:]


@dataclass(frozen=True)
class Result:
    """A unit and its score in the result list of a topic."""

    unit: Unit
    score: float

    def meets(self, other: Result) -> bool:
        """Return whether two results share text."""
        mine, theirs = self.unit, other.unit
        return mine.doc == theirs.doc and mine.start < theirs.end and theirs.start < mine.end


class Index:
    """An index of units with their term counts; all units are scored at once."""

    def __init__(self, units: Iterable[Unit], texts: dict[str, str]) -> None:
        self.units = list(units)
        self._counts = [Counter(terms(texts[unit.doc][unit.start : unit.end])) for unit in self.units]
        self._length: Floats = np.array([counts.total() for counts in self._counts], dtype=np.float64)
        self._found_in = Counter(term for counts in self._counts for term in counts)
        self._occurrences = sum(self._counts, start=Counter[str]())

    def _tf(self, term: str) -> Floats:
        return np.array([counts[term] for counts in self._counts], dtype=np.float64)

    def _idf(self, term: str) -> float:
        matches = self._found_in[term]
        return math.log(1 + (len(self.units) - matches + 0.5) / (matches + 0.5))

    @cached_property
    def _norm(self) -> Floats:
        """The lengths of the vectors of tf-idf weights."""
        squares = [
            math.fsum(((1 + math.log(count)) * self._idf(term)) ** 2 for term, count in counts.items())
            for counts in self._counts
        ]
        return np.sqrt(np.maximum(np.array(squares, dtype=np.float64), 1.0))

    def bm25(self, weights: Counter[str]) -> list[Result]:
        """Rank by BM25."""
        scores = np.zeros(len(self.units))
        size = K1 * (1 - B + B * self._length / self._length.mean())
        for term, weight in weights.items():
            tf = self._tf(term)
            scores += weight * self._idf(term) * tf * (K1 + 1) / (tf + size)
        return self._ranked(scores)

    def tfidf(self, weights: Counter[str]) -> list[Result]:
        """Rank by the cosine between tf-idf vectors, up to a factor that is the same for all units."""
        scores = np.zeros(len(self.units))
        for term, weight in weights.items():
            tf = self._tf(term)
            scores += weight * self._idf(term) ** 2 * np.where(tf > 0, 1 + np.log(np.maximum(tf, 1)), 0)
        return self._ranked(scores / self._norm)

    def language_model(self, weights: Counter[str]) -> list[Result]:
        """Rank by a unigram model, smoothed with the collection's, and a prior in favour of length."""
        scores = np.zeros(len(self.units))
        total = self._occurrences.total()
        for term, weight in weights.items():
            share = self._tf(term) / np.maximum(self._length, 1)
            background = max(self._occurrences[term], 1) / total
            scores += weight * np.log(1 + MIXTURE * share / ((1 - MIXTURE) * background))
        prior = PRIOR * np.log(np.maximum(self._length, 1))
        return self._ranked(np.where(scores > 0, scores + prior, 0))

    def _ranked(self, scores: Floats) -> list[Result]:
        """Return the units that contain any term, best first."""
        rounded = [round(score, 4) for score in scores.tolist()]
        results = [Result(unit, score) for unit, score in zip(self.units, rounded, strict=True) if score > 0]
        return sorted(
            results, key=lambda result: (-result.score, result.unit.doc, result.unit.start, result.unit.end)
        )


class Handbook:
    """Indexes of the collection, one per kind of unit."""

    def __init__(self, collection: Collection) -> None:
        self._texts = {doc: collection[doc].text for doc in sorted(collection)}
        self._elements = [
            Unit(doc, start, end, path, tag)
            for doc in self._texts
            for path, tag, start, end in collection[doc].elements.select("path", "tag", "start", "end").rows()
        ]
        nested = {(unit.doc, path) for unit in self._elements if unit.tag in LEAVES for path in unit.above}
        leaves = {
            unit for unit in self._elements if unit.tag in LEAVES and (unit.doc, unit.path) not in nested
        }
        self.articles = self._index(lambda unit: unit.tag == "article")
        self.sections = self._index(lambda unit: unit.tag == "section")
        self.leaves = self._index(lambda unit: unit in leaves)
        self.elements = self._index(lambda unit: unit in leaves or unit.tag in LARGE)

    def _index(self, wanted: Callable[[Unit], bool]) -> Index:
        return Index(filter(wanted, self._elements), self._texts)

    def windows(self, stride: int) -> Index:
        """Return an index of word windows, one every ``stride`` words; a document's last may be shorter."""
        units: list[Unit] = []
        for doc, text in self._texts.items():
            words = [match.span() for match in re.finditer(r"\S+", text)]
            for first in range(0, max(len(words) - WINDOW + stride, 1), stride):
                last = min(first + WINDOW, len(words)) - 1
                units.append(Unit(doc, words[first][0], words[last][1]))
        return Index(units, self._texts)


def without_overlap(results: Sequence[Result], most: int) -> list[Result]:
    """Return at most ``most`` of the best results, no two of which share text."""
    disjoint: list[Result] = []
    for result in results:
        if len(disjoint) < most and not any(result.meets(other) for other in disjoint):
            disjoint.append(result)
    return disjoint


def in_context(articles: Sequence[Result], leaves: Sequence[Result], most: int) -> list[Result]:
    """Return, in reading order, the leaves of each article that score at least half as much as its best."""
    results: list[Result] = []
    for article in articles:
        candidates = [leaf for leaf in leaves if leaf.unit.doc == article.unit.doc]
        good = [leaf for leaf in candidates if leaf.score >= candidates[0].score / 2]
        in_reading_order = sorted(good, key=lambda leaf: leaf.unit.start)
        results += [Result(leaf.unit, article.score) for leaf in in_reading_order]
    return results[:most]


def choose_entries(articles: Sequence[Result], sections: Sequence[Result]) -> list[Result]:
    """Return the best section of each article, or the article itself if none of its sections matches."""
    best: dict[str, Unit] = {}
    for section in sections:
        best.setdefault(section.unit.doc, section.unit)
    return [Result(best.get(article.unit.doc, article.unit), article.score) for article in articles]


def add_unknown_path(results: Sequence[Result]) -> list[Result]:
    """Return results with an added one whose path does not exist in its document."""
    first = results[0]
    unknown = Unit(first.unit.doc, 0, 0, "/article[1]/body[1]/section[99]")
    return [*results[:4], Result(unknown, results[3].score), *results[4:]]


Lists = dict[str, list[Result]]


def as_columns(lists: Lists, run: str, place: Callable[[Unit], str]) -> str:
    """Write a run in columns; ``place`` returns the columns after the first six."""
    return "".join(
        f"{topic} Q0 {result.unit.doc} {rank} {result.score:.4f} {run} {place(result.unit)}".rstrip() + "\n"
        for topic, results in lists.items()
        for rank, result in enumerate(results, 1)
    )


def as_json_lines(lists: Lists, run: str) -> str:
    """Write a run of spans as JSON lines."""
    return "".join(
        json.dumps({"topic": topic, **_span(result.unit), "rank": rank, "score": result.score, "run": run})
        + "\n"
        for topic, results in lists.items()
        for rank, result in enumerate(results, 1)
    )


def _span(unit: Unit) -> dict[str, object]:
    return {"doc": unit.doc, "start": unit.start, "end": unit.end}


def as_xml(lists: Lists, run: str, about: str, *, year: int, task: str) -> str:
    """Write a run of elements in the XML format of a year, with rank, rsv or both."""
    head = {"participant-id": "1", "run-id": run, "task": task, "query": "automatic"}
    fields = '<topic-fields title="yes" castitle="no" description="yes" narrative="no"/>\n'
    if year == 2005:
        head["topic-part"], fields = "TD", ""
    if year >= 2007:
        head["result-type"] = "element"
    attributes = " ".join(f"{name}={quoteattr(value)}" for name, value in head.items())
    collections = "" if year == 2005 else "<collections><collection>handbook</collection></collections>\n"
    lines = [f'<?xml version="1.0" encoding="UTF-8"?>\n<inex-submission {attributes}>\n{fields}']
    lines.append(f"<description>{about}</description>\n{collections}")
    for topic, results in lists.items():
        lines.append(f'<topic topic-id="{topic}">\n')
        for number, result in enumerate(results, 1):
            rank = f"<rank>{number}</rank>" if year != 2005 else ""
            rsv = f"<rsv>{result.score:.4f}</rsv>" if year != 2007 else ""
            place = f"<file>{result.unit.doc}</file><path>{result.unit.path}</path>"
            lines.append(f"<result>{place}{rank}{rsv}</result>\n")
        lines.append("</topic>\n")
    return "".join([*lines, "</inex-submission>\n"])


def _fol(unit: Unit) -> str:
    return f"{unit.start} {unit.end - unit.start}"


def make_runs(handbook: Path, topics: Path, out: Path) -> list[Path]:
    """Search the handbook for all topics with every method, and write the runs."""
    with tempfile.TemporaryDirectory() as folder:
        ingest(handbook, Path(folder) / "collection")
        indexes = Handbook(read_collection(Path(folder) / "collection"))
    queries = {topic.id: query(topic) for topic in read_topics(topics)}
    out.mkdir(parents=True, exist_ok=True)
    files = {
        **_element_runs(indexes, queries),
        **_context_runs(indexes, queries),
        **_passage_runs(indexes, queries),
    }
    for name, content in files.items():
        (out / name).write_bytes(content.encode())
    return [out / name for name in files]


def _element_runs(indexes: Handbook, queries: dict[str, Counter[str]]) -> dict[str, str]:
    articles = {topic: indexes.articles.bm25(words)[:40] for topic, words in queries.items()}
    sections = {topic: indexes.sections.bm25(words)[:100] for topic, words in queries.items()}
    leaves = {topic: indexes.leaves.tfidf(words)[:100] for topic, words in queries.items()}
    mixed = {topic: indexes.elements.bm25(words) for topic, words in queries.items()}
    thorough = {topic: results[:100] for topic, results in mixed.items()}
    focused = {topic: without_overlap(results, 60) for topic, results in mixed.items()}
    invalid = {topic: add_unknown_path(results[:30]) for topic, results in mixed.items()}
    all_levels = "BM25 over articles, sections, examples and paragraphs in one list"
    return {
        "bm25-articles.run": as_columns(articles, "bm25-articles", lambda _: ""),
        "bm25-sections.xml": as_xml(
            sections, "bm25-sections", "BM25 over sections of all levels", year=2005, task="CO.Thorough"
        ),
        "tfidf-leaves.run": as_columns(leaves, "tfidf-leaves", lambda unit: unit.path),
        "bm25-elements.xml": as_xml(thorough, "bm25-elements", all_levels, year=2006, task="Thorough"),
        "bm25-focused.xml": as_xml(
            focused, "bm25-focused", f"{all_levels}, overlap removed by score", year=2006, task="Focused"
        ),
        "focused-invalid.xml": as_xml(
            invalid, "focused-invalid", f"{all_levels}, and a path too many", year=2006, task="Focused"
        ),
    }


def _context_runs(indexes: Handbook, queries: dict[str, Counter[str]]) -> dict[str, str]:
    articles = {topic: indexes.articles.bm25(words)[:30] for topic, words in queries.items()}
    grouped = {
        topic: in_context(articles[topic], indexes.leaves.bm25(words), 100)
        for topic, words in queries.items()
    }
    entries = {
        topic: choose_entries(articles[topic], indexes.sections.bm25(words))
        for topic, words in queries.items()
    }
    return {
        "bm25-context.xml": as_xml(
            grouped,
            "bm25-context",
            "articles by BM25, and in each the paragraphs that score half as much as its best",
            year=2007,
            task="RelevantInContext",
        ),
        "bm25-entry.run": as_columns(entries, "bm25-entry", lambda unit: str(unit.start)),
        "article-start.xml": as_xml(
            articles, "article-start", "articles by BM25, read from the top", year=2006, task="BestInContext"
        ),
    }


def _passage_runs(indexes: Handbook, queries: dict[str, Counter[str]]) -> dict[str, str]:
    overlapping, disjoint = indexes.windows(STRIDE), indexes.windows(WINDOW)
    model = {
        topic: without_overlap(indexes.elements.language_model(words), 60) for topic, words in queries.items()
    }
    sliding = {topic: overlapping.bm25(words)[:60] for topic, words in queries.items()}
    apart = {topic: disjoint.bm25(words)[:60] for topic, words in queries.items()}
    return {
        "lm-focused.run": as_columns(model, "lm-focused", _fol),
        "windows-overlapping.jsonl": as_json_lines(sliding, "windows-overlapping"),
        "windows-disjoint.run": as_columns(apart, "windows-disjoint", _fol),
    }
