"""The worst topics of a run, and the questions that a run gained and lost against another one.

Each question is shown with its relevant text and with the results of both runs side by side; relevant text
inside the results is marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.analysis.shown_documents import merge_highlights
from doxel.evaluation.evaluation_result import Evaluation
from doxel.evaluation.score_explanation import ScoreExplainer
from doxel.measures.measure_parameters import Number
from doxel.measures.measure_table import lower_is_better, parse_measure
from doxel.notebook.result_html import escape_html, wrap_html
from doxel.wording import did_you_mean, format_share, join_words, pluralise

__all__ = ["RunDifference", "ShownPassage", "TopicDifference", "find_differences", "find_worst_topics"]

_ROUNDING = 1e-9  # smaller differences of scores come from the order of additions
_DEPTH = 5  # results per topic, if the measure has no cutoff
_MOST_DEPTH = 20
_MOST_LISTED = 20  # topics gained, and lost
_MOST_GOLD = 4  # relevant passages per topic
_BEFORE, _LONGEST = 200, 900  # characters shown before the first relevant one, and in all

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ShownPassage:
    """A span of a document: the relevant text of a topic, or a result at ``rank``.

    ``marks`` are the relevant parts of a result, as offsets in the document.  ``text`` is None if there is
    no collection or the result was not found in it.
    """

    doc: str
    start: int | None
    end: int | None
    text: str | None
    rank: int | None = None
    marks: Spans = ()

    @property
    def place(self) -> str:
        """The document, and the offsets if they are known."""
        return self.doc if self.start is None else f"{self.doc} {self.start:,}-{self.end:,}"


@dataclass(frozen=True)
class TopicDifference:
    """One topic: its question, its relevant passages and the first results of both runs."""

    topic: str
    question: str | None
    scores: tuple[float, float]
    gold: tuple[ShownPassage, ...]
    results: tuple[tuple[ShownPassage, ...], tuple[ShownPassage, ...]]

    @property
    def covered(self) -> tuple[float, float]:
        """The share of the relevant characters that the shown results of each run contain."""
        total = sum((passage.end or 0) - (passage.start or 0) for passage in self.gold)
        return tuple(_count_covered(results) / total if total else 0.0 for results in self.results)  # type: ignore[return-value]


def _count_covered(results: Sequence[ShownPassage]) -> int:
    characters = {
        (result.doc, place)
        for result in results
        for start, end in result.marks
        for place in range(start, end)
    }
    return len(characters)


@dataclass(frozen=True, repr=False)
class RunDifference:
    """The topics in which run ``other`` is better or worse than ``run`` by one measure.

    ``table`` has one row per topic with a score in both runs, in the order of the assessments: topic,
    question, score (of ``run``), other_score, gain (positive if ``other`` is better).
    """

    run: str
    other: str
    measure: str
    table: pl.DataFrame
    topics: tuple[TopicDifference, ...]

    def __repr__(self) -> str:
        return (
            f"<RunDifference by {self.measure}: {self.other} gains {pluralise(self.gained.height, 'topic')} "
            f"and loses {self.lost.height:,} against {self.run}>"
        )

    @property
    def gained(self) -> pl.DataFrame:
        """The topics in which ``other`` is better, the largest gain first."""
        return self.table.filter(pl.col("gain") > 0).sort("gain", descending=True, maintain_order=True)

    @property
    def lost(self) -> pl.DataFrame:
        """The topics in which ``other`` is worse, the largest loss first."""
        return self.table.filter(pl.col("gain") < 0).sort("gain", maintain_order=True)

    def _repr_html_(self) -> str:
        same = self.table.height - self.gained.height - self.lost.height
        summary = (
            f"<p>By <strong>{escape_html(self.measure)}</strong>, against {escape_html(self.run)}, "
            f"<strong>{escape_html(self.other)}</strong> is better in "
            f"{pluralise(self.gained.height, 'topic')}, worse in {self.lost.height:,}, and the same in "
            f"{same:,}.</p>"
        )
        parts = [summary]
        for label, table in (("Lost", self.lost), ("Gained", self.gained)):
            if table.height:
                more = table.height - _MOST_LISTED
                remark = f" <small>(the first {_MOST_LISTED} of {table.height:,})</small>" if more > 0 else ""
                parts.append(f"<p><strong>{label}</strong>{remark}</p>")
                parts += [self._render_topic(*row) for row in table.head(_MOST_LISTED).iter_rows()]
        return wrap_html(*parts)

    def _render_topic(
        self, topic: str, question: str | None, before: float, after: float, gain: float
    ) -> str:
        """Return a line about a topic, which opens if its passages are known."""
        arrow = f'<span class="{"up" if gain > 0 else "down"}">{before:.4f} &rarr; {after:.4f}</span>'
        line = f"{arrow} &ensp;<strong>{escape_html(topic)}</strong> {escape_html(question or '')}"
        passages = next((difference for difference in self.topics if difference.topic == topic), None)
        if passages is None:
            return f"<div>{line}</div>"
        return (
            f"<details><summary>{line}</summary>{_render_passages(passages, self.run, self.other)}</details>"
        )


def find_worst_topics(
    evaluation: Evaluation, count: int = 10, *, measure: str | None = None, run: str | None = None
) -> pl.DataFrame:
    """Return the topics with the worst scores: run, topic, measure, score, question.

    Undefined scores are left out.
    """
    name = _choose(evaluation, "measure", measure)
    table = evaluation.scores.filter(pl.col("measure") == name, pl.col("score").is_not_nan())
    if run is not None:
        table = table.filter(pl.col("run") == _choose(evaluation, "run", run))
    worst = table.sort("score", descending=lower_is_better(name), maintain_order=True).head(count)
    questions = _list_questions(evaluation)
    texts = pl.Series([questions.get(topic) for topic in worst["topic"]], dtype=pl.String)
    return worst.with_columns(question=texts)


def find_differences(
    evaluation: Evaluation,
    run: str,
    other: str,
    *,
    measure: str | None = None,
    count: int = 5,
    depth: int | None = None,
) -> RunDifference:
    """Return the topics that ``other`` gained and lost against ``run``.

    Of the ``count`` largest gains and losses the passages are listed; ``depth`` is the number of results per
    run, by default the cutoff of the measure.
    """
    name = _choose(evaluation, "measure", measure)
    run, other = (_choose(evaluation, "run", run_name) for run_name in (run, other))
    first, second = (
        evaluation.scores.filter(pl.col("measure") == name, pl.col("run") == run_name).select(
            "topic", "score"
        )
        for run_name in (run, other)
    )
    scores = first.join(second.rename({"score": "other_score"}), on="topic", maintain_order="left")
    scores = scores.filter(pl.col("score").is_finite() & pl.col("other_score").is_finite())
    questions = _list_questions(evaluation)
    gain = (pl.col("other_score") - pl.col("score")) * (-1.0 if lower_is_better(name) else 1.0)
    table = scores.select(
        "topic",
        pl.Series("question", [questions.get(topic) for topic in scores["topic"]], dtype=pl.String),
        "score",
        "other_score",
        gain=pl.when(gain.abs() <= _ROUNDING).then(0.0).otherwise(gain),
    )
    difference = RunDifference(run, other, name, table, ())
    listed_topics = [*difference.lost["topic"].head(count), *difference.gained["topic"].head(count)]
    if evaluation.explainer is None or not listed_topics:
        return difference
    passages = _PassageFinder(evaluation.explainer, listed_topics)
    results = [passages.list_results(run_name, depth or _find_depth(name)) for run_name in (run, other)]
    topics = tuple(
        TopicDifference(
            topic,
            question,
            (score, other_score),
            passages.list_gold(topic),
            (results[0].get(topic, ()), results[1].get(topic, ())),
        )
        for topic, question, score, other_score, _ in table.filter(
            pl.col("topic").is_in(listed_topics)
        ).iter_rows()
    )
    return RunDifference(run, other, name, table, topics)


def _choose(evaluation: Evaluation, column: str, name: str | None) -> str:
    """Return a run or measure of an evaluation, by default the first."""
    names = evaluation.scores[column].unique(maintain_order=True).to_list()
    if name is None and names:
        return str(names[0])
    if name not in names:
        found = "none" if name is None else f"{name!r}{did_you_mean(str(name), names)}"
        raise InputError(f"a {column}", wanted=f"one of {join_words(names)}", found=found)
    return str(name)


def _list_questions(evaluation: Evaluation) -> dict[str, str]:
    """Return the texts of topics by id, if the topics are known."""
    return {} if evaluation.inputs is None else evaluation.inputs.topic_texts


def _find_depth(name: str) -> int:
    """Return the cutoff of a measure if that is a rank."""
    measure = parse_measure(name)[0]
    cutoff = measure.declaration.at
    if measure.at is None or cutoff is None or not isinstance(cutoff.kind, Number) or not cutoff.kind.whole:
        return _DEPTH
    return min(int(measure.at), _MOST_DEPTH)


class _PassageFinder:
    """Finds the relevant passages and the results of some topics, with their texts."""

    def __init__(self, explainer: ScoreExplainer, topics: Sequence[str]) -> None:
        self._explainer, self._topics = explainer, topics
        collection = explainer.job.collection
        self._collection: Collection | None = (
            None if collection is None or not collection.has_texts else collection
        )
        self._assessments = explainer.job.ground.assessments
        self._texts: dict[str, str | None] = {}

    @cached_property
    def _highlights(self) -> Mapping[str, dict[str, Spans]]:
        """The relevant spans by topic and document, merged."""
        assessments = self._assessments.judged.filter(pl.col("topic").is_in(self._topics))
        spans: dict[str, dict[str, Spans]] = {topic: {} for topic in self._topics}
        for topic, doc in assessments.select("topic", "doc").unique(maintain_order=True).iter_rows():
            spans[topic][doc] = merge_highlights(self._assessments, topic, doc)
        return spans

    def list_gold(self, topic: str) -> tuple[ShownPassage, ...]:
        """Return the relevant passages of a topic."""
        return tuple(
            ShownPassage(doc, start, end, self._cut(doc, start, end))
            for doc, spans in self._highlights[topic].items()
            for start, end in spans
        )

    def list_results(self, run: str, depth: int) -> dict[str, tuple[ShownPassage, ...]]:
        """Return the first results of a run by topic."""
        results = self._explainer.list_results(run, depth).filter(pl.col("topic").is_in(self._topics))
        passages: dict[str, tuple[ShownPassage, ...]] = {}
        for topic, rank, doc, start, end in results.select(
            "topic", "rank", "doc", "start", "end"
        ).iter_rows():
            spans = self._highlights[topic].get(doc, ())
            marks = () if start is None else tuple(_intersect(spans, start, end))
            passage = ShownPassage(doc, start, end, self._cut(doc, start, end), rank, marks)
            passages[topic] = (*passages.get(topic, ()), passage)
        return passages

    def _cut(self, doc: str, start: int | None, end: int | None) -> str | None:
        if doc not in self._texts:
            is_known = self._collection is not None and doc in self._collection
            self._texts[doc] = (
                self._collection[doc].text if is_known and self._collection is not None else None
            )
        text = self._texts[doc]
        return None if text is None or start is None else text[start:end]


def _intersect(spans: Spans, start: int, end: int) -> Spans:
    return tuple((max(first, start), min(last, end)) for first, last in spans if first < end and last > start)


def _render_passages(difference: TopicDifference, run: str, other: str) -> str:
    """Return the relevant text of a topic, and below it the results of both runs side by side."""
    gold = "".join(_render_passage(passage, is_gold=True) for passage in difference.gold[:_MOST_GOLD])
    more = len(difference.gold) - _MOST_GOLD
    gold += f"<p><small>... and {pluralise(more, 'more passage')}</small></p>" if more > 0 else ""
    sides = "".join(
        f"<div><p><strong>{escape_html(name)}</strong> <small>{score:.4f}, "
        f"{format_share(share)} of the relevant text in these results</small></p>"
        + ("".join(_render_passage(passage, is_gold=False) for passage in passages) or "<p>no results</p>")
        + "</div>"
        for name, score, share, passages in zip(
            (run, other), difference.scores, difference.covered, difference.results, strict=True
        )
    )
    return (
        f"<p><strong>Relevant text</strong></p>{gold or '<p>not known as passages</p>'}"
        f'<div class="sides">{sides}</div>'
    )


def _render_passage(passage: ShownPassage, *, is_gold: bool) -> str:
    rank = "" if passage.rank is None else f"{passage.rank}. "
    hit = " hit" if passage.marks or is_gold else ""
    if passage.text is None:
        body = "<small>no text: pass a collection to see it</small>" if passage.start is not None else ""
    else:
        marks = () if is_gold else passage.marks
        body = _mark_text(passage.text, passage.start or 0, marks)
    return f'<div class="chunk{hit}"><small>{rank}{escape_html(passage.place)}</small><br>{body}</div>'


def _mark_text(text: str, offset: int, marks: Spans) -> str:
    """Return a text with its relevant parts marked; a long text is shown around the first of them."""
    relative = [(start - offset, end - offset) for start, end in marks]
    first = max(0, (relative[0][0] if relative else 0) - _BEFORE) if len(text) > _LONGEST else 0
    last = min(len(text), first + _LONGEST)
    pieces, at = ["&hellip; "] if first else [], first
    for start, end in relative:
        begin, stop = max(start, at), min(end, last)
        if begin < stop:
            pieces += [escape_html(text[at:begin]), f"<mark>{escape_html(text[begin:stop])}</mark>"]
            at = stop
    pieces.append(escape_html(text[at:last]))
    return "".join(pieces) + (" &hellip;" if last < len(text) else "")
