"""The official figures of TREC Genomics 2007, digit for digit: DOCUMENT, PASSAGE, ASPECT and PASSAGE2.

Results are read by rank, then by PMID as a text, offset and length.  A passage's gain is its overlap with the
first gold passage, in the order of the file, that it overlaps.  Offsets are bytes, which the track calls
characters.

DOCUMENT    average precision of documents, each at its first passage
PASSAGE     at each passage with gain: gain so far / characters so far; the mean over these passages and the
            gold passages that none of them met first
ASPECT      passages with new aspects and passages without gain take a rank; each of the former adds its new
            aspects times (the former so far / rank); over all aspects
PASSAGE2    average precision with every character as a document; relevant characters seen before are skipped,
            others count each time

The set of 2006 had the first three.  Gold lines with one span are one passage in PASSAGE; their aspects stay
apart.

Reference: trecgen2007_score.py of the track, checked against its output.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.assessments.campaigns.genomics_gold import list_gold_passages
from doxel.errors import InputError
from doxel.evaluation.compat.campaigns.scorer_declaration import CampaignScorer, CampaignScores
from doxel.runs.result_order import order_results
from doxel.runs.run import Run
from doxel.spans import Booleans
from doxel.wording import quote_value

__all__ = ["GENOMICS", "GoldPassage", "score_topic"]

_FIGURES = ("genomics_document", "genomics_passage", "genomics_aspect", "genomics_passage2")
_LARGEST_STRETCH = 500_000_000  # characters between the first and the last gold passage of a document

Result = tuple[str, int, int]
"""A result: document, start, end."""


@dataclass(frozen=True)
class GoldPassage:
    """A line of gold."""

    doc: str
    start: int
    end: int
    aspects: tuple[str, ...]


def score_topic(results: Sequence[Result], gold: Sequence[GoldPassage]) -> dict[str, float]:
    """Return the four figures of a topic; results are in the order of the ranking."""
    by_document: dict[str, list[GoldPassage]] = {}
    for passage in gold:
        by_document.setdefault(passage.doc, []).append(passage)
    matches = [_find_first_overlap(result, by_document.get(result[0], [])) for result in results]
    scores = (
        _score_documents([doc for doc, _, _ in results], by_document),
        _score_passages(results, matches, gold),
        _score_aspects(matches, gold),
        _score_characters(results, by_document),
    )
    return dict(zip(_FIGURES, scores, strict=True))


def _find_first_overlap(result: Result, gold: Sequence[GoldPassage]) -> tuple[GoldPassage, int] | None:
    """Return the first gold passage that a result overlaps, and their common characters."""
    _, start, end = result
    for passage in gold:
        shared = min(end, passage.end) - max(start, passage.start)
        if shared > 0:
            return passage, shared
    return None


def _score_documents(retrieved: Sequence[str], relevant: dict[str, list[GoldPassage]]) -> float:
    hits, total = 0, 0.0
    for rank, doc in enumerate(dict.fromkeys(retrieved), 1):
        if doc in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant)


def _score_passages(
    results: Sequence[Result], matches: Sequence[tuple[GoldPassage, int] | None], gold: Sequence[GoldPassage]
) -> float:
    gained, read, count, total = 0, 0, 0, 0.0
    missed = {(passage.doc, passage.start, passage.end) for passage in gold}
    for (_, start, end), match in zip(results, matches, strict=True):
        read += end - start
        if match is not None:
            passage, shared = match
            count += 1
            gained += shared
            total += gained / read
            missed.discard((passage.doc, passage.start, passage.end))
    return total / (count + len(missed))


def _score_aspects(matches: Sequence[tuple[GoldPassage, int] | None], gold: Sequence[GoldPassage]) -> float:
    seen_aspects: set[str] = set()
    hits, rank, total = 0, 0, 0.0
    for match in matches:
        new_aspects = set(match[0].aspects) - seen_aspects if match is not None else set()
        if match is None or new_aspects:
            rank += 1
        if new_aspects:
            hits += 1
            total += len(new_aspects) * float(hits) / float(rank)
            seen_aspects |= new_aspects
    return total / len({aspect for passage in gold for aspect in passage.aspects})


def _score_characters(results: Sequence[Result], gold: dict[str, list[GoldPassage]]) -> float:
    marks = {doc: _RelevantText(passages) for doc, passages in gold.items()}
    gained, read, total = 0, 0, 0.0
    for doc, start, end in results:
        if doc not in marks:
            read += end - start
            continue
        before, is_new, is_counted, after = marks[doc].take(start, end)
        reads = read + before + np.cumsum(is_counted)
        gains = gained + np.cumsum(is_new)
        terms = gains[is_new] / reads[is_new]
        if len(terms):
            total = float(np.cumsum(np.concatenate([[total], terms]))[-1])  # in order, as the program adds
        read += before + int(is_counted.sum()) + after
        gained += int(is_new.sum())
    size = sum(text.size for text in marks.values())
    return total / size if size else float("nan")


class _RelevantText:
    """The relevant characters of a document, and those not yet seen."""

    def __init__(self, passages: Sequence[GoldPassage]) -> None:
        self._first = min(passage.start for passage in passages)
        length = max(passage.end for passage in passages) - self._first
        if length > _LARGEST_STRETCH:
            wanted = f"gold passages within {_LARGEST_STRETCH:,} bytes"
            raise InputError(f"document {passages[0].doc}", wanted=wanted, found=f"{length:,}")
        self._is_relevant = np.zeros(length, dtype=bool)
        for passage in passages:
            self._is_relevant[passage.start - self._first : passage.end - self._first] = True
        self._is_unseen = self._is_relevant.copy()
        self.size = int(self._is_relevant.sum())

    def take(self, start: int, end: int) -> tuple[int, Booleans, Booleans, int]:
        """Read a stretch: the characters before the first gold passage, and those after the last.

        For those between, whether they are relevant and new, and whether they count as read.
        """
        stop = self._first + len(self._is_relevant)
        low, high = min(max(start, self._first), stop), min(max(end, self._first), stop)
        inside = slice(low - self._first, high - self._first)
        is_new, is_relevant = self._is_unseen[inside].copy(), self._is_relevant[inside]
        self._is_unseen[inside] = False
        before = max(min(end, self._first) - start, 0)
        return before, is_new, is_new | ~is_relevant, end - start - before - len(is_new)


def _score_run(run: Run, assessments: Assessments, _name: str) -> CampaignScores:
    gold: dict[str, list[GoldPassage]] = {}
    for record in list_gold_passages(assessments):
        passage = GoldPassage(record["doc"], record["start"], record["end"], tuple(record["aspects"]))
        gold.setdefault(_number_topic(record["topic"], assessments.file), []).append(passage)
    results = _list_results(run)
    topics = {topic: score_topic(results.get(topic, []), gold[topic]) for topic in sorted(gold, key=int)}
    overall = {figure: sum(scores[figure] for scores in topics.values()) / len(topics) for figure in _FIGURES}
    return CampaignScores(
        topics,
        overall,
        lacking=[topic for topic in topics if topic not in results],
        unassessed=[topic for topic in results if topic not in topics],
    )


def _number_topic(topic: str, file: str | None) -> str:
    if topic.isascii() and topic.isdigit():
        return str(int(topic))
    raise InputError("a topic of Genomics", file=file, wanted="a whole number", found=quote_value(topic))


def _list_results(run: Run) -> dict[str, list[Result]]:
    """Return the results of each topic: by rank, then PMID, offset and length."""
    # ranks as written: ordering drops those that are all the same, which the program does not
    ranked = order_results(run.results.with_columns(place="rank")).with_columns(
        pl.coalesce("place", "position").alias("place")
    )
    lacking = ranked.filter(pl.col("start").is_null() | pl.col("end").is_null()).head(1)
    if lacking.height:
        row = lacking.row(0, named=True)
        problem = f"topic {row['topic']}, document {row['doc']}"
        raise InputError(problem, file=run.file, line=row["line"], wanted="an offset and a length in bytes")
    results: dict[str, list[tuple[int, str, int, int]]] = {}
    for topic, place, doc, start, end in ranked.select("topic", "place", "doc", "start", "end").iter_rows():
        results.setdefault(_number_topic(topic, run.file), []).append((place, doc, start, end))
    return {
        topic: [(doc, start, end) for _, doc, start, end in sorted(rows)] for topic, rows in results.items()
    }


GENOMICS = CampaignScorer(
    name="genomics",
    about="the scoring program of TREC Genomics 2007",
    sets={"genomics2007": _FIGURES},
    score=_score_run,
    lacking="scored 0",
)
