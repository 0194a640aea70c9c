"""One run laid out for scoring: its results as arrays, ordered by topic and rank.

A located run also has the position of each result among the elements of the judged documents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
import polars.selectors as cs

from doxel.assessments.judged_pairs import JudgedPairs, number_topics
from doxel.errors import InputError
from doxel.evaluation.novelty import Novelty, SharedText, find_new_text, find_shared_text
from doxel.evaluation.recall_bases import RecallBases
from doxel.quantisation import Quantisation
from doxel.recallbases.element_base import ElementBase
from doxel.runs.result_order import find_ties
from doxel.runs.result_spans import split_pieces
from doxel.spans import Booleans, Floats, Ints
from doxel.wording import pluralise

__all__ = ["LocatedRun", "RankedRun", "lay_out_run"]

_KEPT_COLUMNS = ("topic", "doc", "path", "rank", "rsv", "on_target")


@dataclass(frozen=True)
class RankedRun:
    """The results of the assessed topics, ordered by topic and position.

    ``group`` numbers the documents of each topic, judged or not, by first occurrence.  ``document_pair`` is
    the judged pair of topic and document, -1 if the document was not judged.  ``pair`` is the same, but -1
    also for results that are off target: it is the pair in which a result can gain something.  An unresolved
    result has an empty span.  ``element`` is the element's row in its document, -1 for a passage.

    A text joined from several pieces is one result with one row per piece: neighbouring rows of a topic with
    the same number in ``result`` share a position.
    """

    assessed: JudgedPairs
    topic: Ints
    group: Ints
    pair: Ints
    document_pair: Ints
    start: Ints
    end: Ints
    found: Booleans
    element: Ints
    source: Ints
    result: Ints
    columns: pl.DataFrame  # the run's own columns; ``source`` is a row number in it
    bases: RecallBases
    order: str = "rank"
    unplaced: int = 0  # results that cannot be located without a collection
    is_known: bool = False  # whether any document is in the collection

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def first(self) -> Ints:
        """The row of each topic's first result, with one more entry at the end."""
        return np.searchsorted(self.topic, np.arange(len(self.assessed.topics) + 1))

    @cached_property
    def position(self) -> Ints:
        """The position of each result in its topic, from 0."""
        if not self.has_pieces:
            return np.arange(len(self)) - self.first[self.topic]
        number = np.cumsum(self.begins_result)
        return number - number[self.first[self.topic]]

    @cached_property
    def number(self) -> Ints:
        """The number of each row's result, counted over all topics."""
        return np.concatenate([[0], np.cumsum(self.length)])[self.topic] + self.position

    @cached_property
    def length(self) -> Ints:
        """The number of results of each topic."""
        if not self.has_pieces:
            return np.diff(self.first)
        return np.bincount(self.topic[self.begins_result], minlength=len(self.assessed.topics))

    @cached_property
    def begins_result(self) -> Booleans:
        """Whether a row is the first of its result."""
        begins = np.ones(len(self), dtype=bool)
        begins[1:] = (np.diff(self.result) != 0) | (np.diff(self.topic) != 0)
        return begins

    @cached_property
    def has_pieces(self) -> bool:
        """Whether any result has several rows."""
        return not self.begins_result.all()

    @cached_property
    def largest_pieces(self) -> RankedRun:
        """The run with the largest piece of each result, for measures that value a result as a whole."""
        number = np.cumsum(self.begins_result)
        order = np.lexsort((self.start - self.end, number))  # stable: the first of equally large pieces
        return self.take(np.sort(order[np.append(True, np.diff(number[order]) != 0)]))

    @cached_property
    def is_element(self) -> Booleans:
        """Whether a result is an element."""
        return self.element >= 0

    def levels(self, ties: str) -> tuple[Ints, Ints]:
        """Return the first and the last position of each result's level of tied results."""
        columns = self.columns.select("rank", "rsv")[self.source]
        columns = columns.with_columns(*self._ignored, pl.Series("topic", self.topic))
        level = find_ties(columns, ties).to_numpy()
        new = np.ones(len(self), dtype=bool)
        new[1:] = (np.diff(level) != 0) | (np.diff(self.topic) != 0)
        begins = np.flatnonzero(new)
        number = np.cumsum(new) - 1
        ends = np.append(begins[1:], len(self)) - 1
        return self.position[begins[number]], self.position[ends[number]]

    @property
    def _ignored(self) -> list[pl.Expr]:
        """Null expressions for the columns that the chosen order ignores, so that they do not tie results."""
        names = {"rank": (), "score": ("rank",), "file": ("rank", "rsv")}[self.order]
        return [pl.lit(None, dtype=self.columns.schema[name]).alias(name) for name in names]

    @property
    def has_sizes(self) -> bool:
        """Whether the number of characters of each result is known."""
        return not self.unplaced and self.bases.has_sizes

    @cached_property
    def size(self) -> Ints:
        """The number of characters of each result."""
        if self.unplaced:
            raise InputError(
                pluralise(
                    self.unplaced,
                    "result has no start and end, as an element, a document or a quotation",
                    "results have no start and end, as elements, documents or quotations",
                ),
                wanted="a collection (-c), to find them in its documents",
            )
        self.bases.require_sizes("counting characters")
        return self.end - self.start

    @property
    def has_short_results(self) -> bool:
        """Whether any result that was found has at most one character."""
        return self.has_sizes and bool((self.size[self.found] <= 1).any())

    def require_places(self) -> None:
        """Raise an error if the positions of results are unknown."""
        _ = self.size

    @cached_property
    def is_judged(self) -> Booleans:
        """Whether the document of each result was judged for its topic."""
        return np.append(self.assessed.is_judged, False)[self.document_pair]

    @cached_property
    def is_on_target(self) -> Booleans:
        """Whether each result matches the structure of its query; undecided results count as matching."""
        if "on_target" not in self.columns.columns:
            return np.ones(len(self), dtype=bool)
        return self.columns["on_target"].fill_null(value=True).to_numpy()[self.source]

    @cached_property
    def without_unjudged(self) -> RankedRun:
        """The run without the results in documents that were not judged for their topic."""
        return self if self.is_judged.all() else self.take(np.flatnonzero(self.is_judged))

    @cached_property
    def relevant(self) -> Ints:
        """The number of relevant characters of each result."""
        counts = np.zeros(len(self), dtype=np.int64)
        rows = np.flatnonzero(np.append(self.assessed.has_text, False)[self.pair])
        counts[rows] = self.assessed.relevant_text.covered(self.pair[rows], self.start[rows], self.end[rows])
        return counts

    @cached_property
    def seen(self) -> Novelty:
        """The text of each result that no earlier result of its topic contains."""
        return find_new_text(self.group, self.start, self.end, self.shared_text.contested)

    @cached_property
    def relevant_share(self) -> Floats:
        """The relevant share of each result's characters."""
        return np.divide(self.relevant, self.size, out=np.zeros(len(self)), where=self.size > 0)

    @cached_property
    def base_document(self) -> Ints:
        """The document of each result in the element base, -1 for none."""
        return np.where(self.found, self.bases.elements.documents(self.document_pair), -1)

    @cached_property
    def base_row(self) -> Ints:
        """The element of each result in the element base, -1 for none."""
        is_located = (self.base_document >= 0) & self.is_element
        first = self.bases.elements.forest.first
        return np.where(is_located, first[self.base_document] + self.element, -1)

    @cached_property
    def shared_text(self) -> SharedText:
        """The results that may share text with others of their topic and document."""
        return find_shared_text(self.group, self.start, self.end)

    @cached_property
    def new_relevant(self) -> Ints:
        """The relevant characters of each result that no earlier result contains."""
        if self.seen.is_all_new:
            return self.relevant
        pair = self.pair[self.seen.owner]
        parts = np.zeros(len(pair), dtype=np.int64)
        judged = np.flatnonzero(pair >= 0)
        parts[judged] = self.assessed.relevant_text.covered(
            pair[judged], self.seen.start[judged], self.seen.end[judged]
        )
        counts = self.relevant.copy()
        counts[self.seen.contested] = 0
        np.add.at(counts, self.seen.owner, parts)
        return counts

    @cached_property
    def same_as(self) -> Ints:
        """A number for each element and passage, -1 for results that were not found.

        Two results of a group with the same number are the same element or passage.
        """
        stride = int(self.end.max(initial=0)) + 1
        passage = np.where(self.found, self.start * stride + self.end, -1)
        beyond_any_span = stride * stride
        return np.where(self.element >= 0, self.element + beyond_any_span, passage)

    @cached_property
    def is_repeat(self) -> Booleans:
        """Whether the same element or passage occurs at an earlier rank of the topic.

        Repeats share text unless they are empty elements, so only those results are compared.
        """
        repeats = np.zeros(len(self), dtype=bool)
        rows = np.flatnonzero(self.shared_text.contested | (self.end == self.start))
        if not len(rows):
            return repeats
        rows = rows[self.same_as[rows] >= 0]
        rows = rows[np.lexsort((self.same_as[rows], self.group[rows]))]  # stable: earlier ranks first
        same = (np.diff(self.group[rows]) == 0) & (np.diff(self.same_as[rows]) == 0)
        repeats[rows[1:][same]] = True
        return repeats

    @cached_property
    def first_of_article(self) -> Ints:
        """The row of each article's first result, by group; -1 for groups without results."""
        first = np.full(int(self.group.max(initial=-1)) + 1, -1, dtype=np.int64)
        first[self.group[::-1]] = np.arange(len(self))[::-1]
        return first

    @cached_property
    def size_by_rank(self) -> Floats:
        """The number of characters of each result, as an array of topics x ranks."""
        return self.matrix(self.size)

    @cached_property
    def relevant_by_rank(self) -> Floats:
        """The number of relevant characters of each result, as an array of topics x ranks."""
        return self.matrix(self.relevant)

    def matrix(self, values: np.ndarray) -> Floats:
        """Return one value per result as an array of topics x ranks, padded with 0; pieces are added up."""
        padded = np.zeros((len(self.assessed.topics), int(self.length.max(initial=0))))
        if self.has_pieces:
            np.add.at(padded, (self.topic, self.position), values)
        elif padded.size == len(values):  # all topics have the same number of results, as many runs have
            padded[:] = np.reshape(values, padded.shape)
        else:
            padded[self.is_filled] = values
        return padded

    @cached_property
    def is_filled(self) -> Booleans:
        """Whether there is a result, as an array of topics x ranks."""
        return np.arange(int(self.length.max(initial=0))) < self.length[:, None]

    def take(self, rows: np.ndarray) -> RankedRun:
        """Return the run with the given rows only, in the given order."""
        spans = ("start", "end", "found", "element", "source", "result")
        columns = ("topic", "group", "pair", "document_pair", *spans)
        taken = replace(self, **{name: getattr(self, name)[rows] for name in columns})
        if not self.has_pieces:
            vars(taken)["has_pieces"] = False  # saves looking for them again
        return taken

    @cached_property
    def article_pair(self) -> Ints:
        """The judged pair of each group with a result that can gain something, -1 for other groups."""
        pair = np.full(len(self.first_of_article), -1, dtype=np.int64)
        rows = np.flatnonzero(self.pair >= 0)
        pair[self.group[rows]] = self.pair[rows]  # the same for all results of a group
        return pair

    @property
    def has_articles_once(self) -> bool:
        """Whether every result is a single row and the only one of its article, as in runs of documents."""
        first = self.first_of_article
        return not self.has_pieces and len(first) == len(self) and bool((first >= 0).all())

    @cached_property
    def group_position(self) -> Ints:
        """The position, from 0, of each group's article in its topic, by first occurrence."""
        first_row = self.first_of_article  # -1 for groups without results, which no result refers to
        begins = np.zeros(len(self), dtype=bool)
        begins[first_row[first_row >= 0]] = True
        count = np.concatenate([[0], np.cumsum(begins)])
        position: Ints = count[first_row] - count[self.first][self.topic[first_row]]
        return position

    @cached_property
    def article_position(self) -> Ints:
        """The position, from 0, of each result's article in its topic, by first occurrence."""
        return self.group_position[self.group]

    def count_articles(self) -> Ints:
        """Return the number of articles of each topic."""
        topic = self.topic[self.first_of_article[self.first_of_article >= 0]]
        return np.bincount(topic, minlength=len(self.assessed.topics))

    def limit_results(self, *, limit: int | None, by: str, article_chars: int | None) -> RankedRun:
        """Return the part of the run that counts, cut by results or articles, and by characters of these."""
        ranked = self
        if limit is not None and int(self.length.max(initial=0)) > limit:
            position = self.position if by == "results" else self._furthest_article()
            ranked = self.take(np.flatnonzero(position < limit))
        return ranked if article_chars is None else ranked.cut_articles(article_chars)

    def _furthest_article(self) -> Ints:
        """The highest article position up to each result; the run ends where it exceeds the limit."""
        stride = int(self.article_position.max(initial=0)) + 1
        return np.maximum.accumulate(self.topic * stride + self.article_position) - self.topic * stride

    def cut_articles(self, characters: int) -> RankedRun:
        """Return the run cut after a number of characters per article; the last result is shortened."""
        order = np.argsort(self.group, kind="stable")
        size = self.size[order]
        preceding = np.cumsum(size) - size
        begins = np.searchsorted(self.group[order], self.group[order])
        rest = np.empty(len(self), dtype=np.int64)
        rest[order] = characters - (preceding - preceding[begins])
        return self.shorten(np.minimum(self.end, self.start + np.maximum(rest, 0)), rest > 0)

    def shorten(self, end: Ints, is_kept: Booleans) -> RankedRun:
        """Return the kept results with other ends; a shortened passage is another passage."""
        return replace(self, end=end).take(np.flatnonzero(is_kept))


def lay_out_run(
    results: pl.DataFrame, assessed: JudgedPairs, bases: RecallBases, *, order: str = "rank"
) -> RankedRun:
    """Lay out the results of one run, given in rank order per topic.

    Results of topics that were not assessed are left out; the caller counts them.
    """
    pieces = split_pieces(results)
    table, topic = _select_assessed_topics(pieces, assessed)
    first, pair = assessed.match_documents(topic, table["doc"])
    start, end, element = (_fill_nulls(table[name]) for name in ("start", "end", "element"))
    is_found = start >= 0
    start, end = _place_unfound(start, end, is_found)
    begins_article = first == np.arange(len(first))
    ranked = RankedRun(
        assessed=assessed,
        topic=topic,
        group=first if begins_article.all() else (np.cumsum(begins_article) - 1)[first],
        pair=np.where(_is_on_target(table), pair, -1) if "on_target" in table.columns else pair,
        document_pair=pair,
        start=start,
        end=end,
        found=is_found,
        element=element,
        source=np.arange(len(topic)),
        result=table["position"].to_numpy() if "position" in table.columns else np.arange(len(topic)),
        columns=table.select(cs.by_name(*_KEPT_COLUMNS, require_all=False)),
        bases=bases,
        order=order,
        unplaced=_count_unplaced(is_found, table["problem"]),
        is_known=table["number"].null_count() < table.height,
    )
    vars(ranked)["first_of_article"] = np.flatnonzero(begins_article)  # already known here
    if pieces is results:
        vars(ranked)["has_pieces"] = False
    return ranked


def _place_unfound(start: Ints, end: Ints, is_found: Booleans) -> tuple[Ints, Ints]:
    """Return the spans, empty for results that were not found and for entry points, which have no end."""
    if is_found.all():
        return start, np.maximum(end, start)
    start = np.maximum(start, 0)
    return start, np.where(is_found, np.maximum(end, start), 0)


def _is_on_target(results: pl.DataFrame) -> Booleans:
    """Mark the results that match the structure of their query; undecided results count as matching."""
    return results["on_target"].fill_null(value=True).to_numpy()


def _fill_nulls(column: pl.Series) -> Ints:
    """Return numbers with -1 in place of null."""
    is_empty = column.null_count() == len(column)
    return np.full(len(column), -1, dtype=np.int64) if is_empty else column.fill_null(-1).to_numpy()


def _count_unplaced(is_found: Booleans, problem: pl.Series) -> int:
    """Return the number of results that were not found without a problem."""
    if is_found.all():
        return 0
    lost = len(is_found) - int(np.count_nonzero(is_found))
    if problem.null_count() == len(problem):
        return lost
    return int((~is_found & problem.is_null().to_numpy()).sum())


def _select_assessed_topics(results: pl.DataFrame, assessed: JudgedPairs) -> tuple[pl.DataFrame, Ints]:
    """Return the results of assessed topics, ordered by topic, and the number of each result's topic."""
    topic = number_topics(results["topic"], assessed.topics)
    if len(topic) and (topic.min() < 0 or (topic[1:] < topic[:-1]).any()):
        rows = np.argsort(topic, kind="stable")
        rows = rows[topic[rows] >= 0]
        return results[rows], topic[rows]
    return results, topic


@dataclass(frozen=True)
class LocatedRun:
    """A ranked run with the position of its results in an element base.

    ``document`` is the document of each result in the base, -1 if its pair has no relevant text; ``row`` is
    the element, -1 for passages and for elements outside the base.
    """

    ranked: RankedRun
    base: ElementBase

    @property
    def document(self) -> Ints:
        """The document of each result in the base, -1 for none."""
        return self.ranked.base_document

    @property
    def row(self) -> Ints:
        """The element of each result in the base, -1 for none."""
        return self.ranked.base_row

    def of_elements(self, values: Floats) -> Floats:
        """Return one value per result from values of elements; 0 for results that are not in the base."""
        rows = np.flatnonzero(self.row >= 0)
        result_values: Floats = np.zeros(len(self.row))
        result_values[rows] = values[self.row[rows]]
        return result_values

    def relevance(self, gain: Floats, quantisation: Quantisation) -> Floats:
        """Return the relevance q of each result.

        This is the gain of an element, or the highlighted share of a passage; 0 for repeats.
        """
        q = self.of_elements(gain)
        if quantisation.is_specificity:
            self.ranked.require_places()
            q = np.where(self.is_passage, self.share, q) if self.is_passage.any() else q
        return np.where(self.ranked.is_repeat, 0.0, q)

    @cached_property
    def is_passage(self) -> Booleans:
        """Whether a result was found and is not an element."""
        return self.ranked.found & ~self.ranked.is_element

    @property
    def share(self) -> Floats:
        """The highlighted share of each result."""
        return self.ranked.relevant_share

    @cached_property
    def overlap(self) -> Floats:
        """The share of each result that was seen before; 1 for an empty element below an earlier result."""
        size, new = self.ranked.size, self.ranked.seen.new_size
        share: Floats = np.divide(size - new, size, out=np.zeros(len(size)), where=size > 0)
        share[self._empty_below_earlier()] = 1.0
        return share

    def _empty_below_earlier(self) -> Ints:
        """Return the empty elements with an ancestor at an earlier rank.

        A row of the base belongs to one document and topic, so it identifies an element of the run.
        """
        parent = self.base.tree.parent
        results = np.flatnonzero((self.row >= 0) & (self.ranked.size == 0))
        first = np.full(
            len(parent) + 1, len(self.ranked), dtype=np.int64
        )  # the first result that returns each row
        first[self.row[::-1]] = np.arange(len(self.ranked))[::-1]
        first[-1] = len(self.ranked)  # for results that are not in the base
        below = np.zeros(len(results), dtype=bool)
        above = parent[self.row[results]]
        while (above >= 0).any():
            below |= (above >= 0) & (first[above] < results)
            above = np.where(above >= 0, parent[above], -1)
        return results[below]
