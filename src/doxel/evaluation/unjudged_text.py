"""Text that nobody judged: its share of a run, and how far scores could rise if it were relevant.

The assessments decide only about the documents that they name.  Retrieved text in other documents counts as
not relevant; its share is noted for each run.  An optimistic run takes it as relevant instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments.judged_pairs import JudgedPairs
from doxel.checks.score_warnings import ScoreWarning
from doxel.evaluation.ranked_run import RankedRun
from doxel.measures import Measure
from doxel.measures.gain_views import GainVectors
from doxel.measures.text_views import DocumentRanking
from doxel.spans import Booleans, Coverage, Floats, Ints, merge_spans, sum_by_group
from doxel.wording import format_share, pluralise

__all__ = [
    "UNJUDGED_TEXT",
    "assume_relevant",
    "cut_to_rank",
    "describe_removed_results",
    "describe_unjudged_text",
    "find_lowest_grade",
    "find_residual_kind",
    "list_unjudged_documents",
    "lists_relevant_only",
    "merge_unjudged_notes",
    "note_relevant_only",
]

UNJUDGED_TEXT = "S121"
"""The code of the note on the share of a run's text that is in judged documents."""

_MANY_NOTES = 3  # notes on more runs are shown as one

# properties of a run that do not depend on the assessments
_SHARED = (
    "first",
    "position",
    "length",
    "has_pieces",
    "size",
    "seen",
    "shared_text",
    "is_repeat",
    "first_of_article",
    "group_position",
    "article_position",
    "size_by_rank",
)


def describe_unjudged_text(ranked: RankedRun) -> list[ScoreWarning]:
    """Return a note with the share of the retrieved characters that are in judged documents, unless all are.

    Each character counts once per topic.  Results count instead if their sizes are unknown or 0.
    """
    is_judged = ranked.is_judged
    if is_judged.all():
        return []
    if ranked.has_sizes and ranked.size.any():
        # all results of a document are judged or none is: it does not matter to which of them text is counted
        counts, unit = ranked.shared_text.distinct_size, "characters"
        total, judged = int(counts.sum()), int(counts @ is_judged)
    else:
        total, judged, unit = len(ranked), int(np.count_nonzero(is_judged)), "results"
    if judged == total:
        return []
    topics = int(np.count_nonzero(np.bincount(ranked.topic[~is_judged])))
    share = format_share(judged / total, 1)
    sentence = f"{share} of the retrieved {unit} are in judged documents ({judged:,} of {total:,})"
    return [ScoreWarning(sentence, UNJUDGED_TEXT, topics=topics)]


def merge_unjudged_notes(warnings: Sequence[ScoreWarning]) -> list[ScoreWarning]:
    """Return warnings with one note for the unjudged text of many runs, so that it does not hide others.

    >>> notes = [ScoreWarning(f"{share}% of the characters", "S121", run=f"r{share}") for share in "9357"]
    >>> print(*merge_unjudged_notes(notes))
    4 runs retrieved unjudged text: 3% (r3) to 9% (r9) of what they retrieved is in judged documents
    """
    notes = [warning for warning in warnings if warning.code == UNJUDGED_TEXT and warning.run is not None]
    if len(notes) <= _MANY_NOTES:
        return list(warnings)
    shares = [note.sentence.partition("%")[0] for note in notes]
    lowest, highest = (choose(range(len(notes)), key=lambda row: float(shares[row])) for choose in (min, max))
    ends = " to ".join(f"{shares[row]}% ({notes[row].run})" for row in (lowest, highest))
    rest = "of what they retrieved is in judged documents"
    merged = ScoreWarning(f"{len(notes):,} runs retrieved unjudged text: {ends} {rest}", UNJUDGED_TEXT)
    return [*(warning for warning in warnings if warning not in notes), merged]


def describe_removed_results(ranked: RankedRun) -> ScoreWarning:
    """Return a note with the number of results that ``unjudged="remove"`` takes out."""
    removed = ~ranked.is_judged
    count = int((removed & ranked.begins_result).sum())
    topics = len(np.unique(ranked.topic[removed]))
    subject = pluralise(count, "result in an unjudged document", "results in unjudged documents")
    return ScoreWarning(f"{subject} removed, in {pluralise(topics, 'topic')}", "S123", topics=topics)


def lists_relevant_only(assessed: JudgedPairs) -> bool:
    """Return whether no document was judged non-relevant, so that only relevant documents are listed."""
    is_relevant = (assessed.relevant_size > 0) | (assessed.document_grade > 0) | (assessed.entry_point >= 0)
    return bool(len(is_relevant)) and bool(is_relevant[assessed.is_judged].all())


def note_relevant_only(
    warnings: Sequence[ScoreWarning], assessed: JudgedPairs, *, residual: bool
) -> list[ScoreWarning]:
    """Return the notes that no document was judged non-relevant, if runs have text in unjudged documents."""
    is_noted = any(warning.code == UNJUDGED_TEXT for warning in warnings)
    if not is_noted or not lists_relevant_only(assessed):
        return []
    sentence = (
        "no document is judged non-relevant: the assessments list relevant documents only, and documents "
        "that were judged and found not relevant cannot be told from documents that nobody judged"
    )
    notes = [ScoreWarning(sentence, "S122")]
    if residual:
        notes.append(
            ScoreWarning(
                "residuals assume much here: they take the text of every document that is not listed as "
                "unjudged, also of those that were judged and found not relevant",
                "S124",
            )
        )
    return notes


def find_residual_kind(measure: Measure, parameters: Mapping[str, Any], *, has_elements: bool) -> str:
    """Return the kind of a measure's residual (see ``declaration``), or an empty string if it has none."""
    is_of_elements = measure.declaration.view is GainVectors and has_elements
    return "" if is_of_elements else measure.find_residual(parameters)


def find_lowest_grade(measure: Measure, parameters: Mapping[str, Any]) -> float:
    """Return the lowest grade of a relevant document by a measure."""
    return float(parameters.get("rel", 1)) if measure.declaration.view is DocumentRanking else 1.0


def cut_to_rank(ranked: RankedRun, measure: Measure) -> RankedRun:
    """Return the results that a measure reads: those up to its cutoff, in results or articles."""
    cutoff = measure.rank_cutoff
    if cutoff is None:
        return ranked
    by_article = measure.declaration.view.ranks == "articles"
    position = ranked.article_position if by_article else ranked.position
    return ranked.take(np.flatnonzero(position < cutoff))


def assume_relevant(ranked: RankedRun, is_assumed: Booleans, grade: float = 1.0) -> RankedRun:
    """Return a run as if the text of some results in unjudged documents were relevant.

    Their characters become highlights, adjacent ones joined; their documents get a grade.
    """
    rows = np.flatnonzero(is_assumed)
    groups, number = np.unique(ranked.group[rows], return_inverse=True)
    place, start, end = merge_spans(number, ranked.start[rows], ranked.end[rows])
    judged = len(ranked.assessed.topic)
    first = ranked.first_of_article[groups]
    assessed = _add_pairs(ranked, first, (place + judged, start, end), grade)
    new_pair = np.full(len(ranked.first_of_article), -1, dtype=np.int64)
    new_pair[groups] = judged + np.arange(len(groups))
    of_row = new_pair[ranked.group]
    can_gain = (of_row >= 0) & ranked.is_on_target
    hopeful = replace(
        ranked,
        assessed=assessed,
        pair=np.where(can_gain, of_row, ranked.pair),
        document_pair=np.where(of_row >= 0, of_row, ranked.document_pair),
    )
    vars(hopeful).update({name: vars(ranked)[name] for name in _SHARED if name in vars(ranked)})
    return hopeful


def list_unjudged_documents(
    read: RankedRun, grade: float, compute: Callable[[RankedRun], Floats]
) -> pl.DataFrame:
    """Return the unjudged documents of a run: topic, doc, rank, characters, fall.

    ``compute`` returns the scores of a run; ``fall`` is how far the optimistic score of the topic falls if
    nothing in the document is relevant, null for undefined topics.  The first unjudged document of all topics
    is left out at once, then the second, and so on.
    """
    is_assumed = ~read.is_judged & read.is_on_target
    groups = np.unique(read.group[is_assumed])
    first = read.first_of_article[groups]
    by_rank = np.argsort(first, kind="stable")  # rows are in the order of topics and ranks
    groups, first = groups[by_rank], first[by_rank]
    topic = read.topic[first]
    place = np.arange(len(topic)) - np.searchsorted(topic, topic)
    of_group = np.full(len(read.first_of_article), -1, dtype=np.int64)
    of_group[groups] = place
    fall = np.zeros(len(groups))
    is_defined = ~np.isnan(compute(read))
    highest = np.where(is_defined, compute(assume_relevant(read, is_assumed, grade)), np.nan)
    for turn in range(int(place.max(initial=-1)) + 1):
        rest = compute(assume_relevant(read, is_assumed & (of_group[read.group] != turn), grade))
        rows = np.flatnonzero(place == turn)
        fall[rows] = (highest - rest)[topic[rows]]
    counts = read.seen.new_size if read.has_sizes else np.zeros(len(read), dtype=np.int64)
    characters = sum_by_group(read.group, counts, len(of_group))[groups].astype(np.int64)
    return pl.DataFrame(
        {
            "topic": pl.Series(read.assessed.topics, dtype=pl.String).gather(topic),
            "doc": read.columns["doc"].gather(read.source[first]),
            "rank": read.position[first] + 1,
            "characters": characters,
            "fall": fall,
        }
    ).with_columns(pl.col("fall").fill_nan(None))


def _add_pairs(
    ranked: RankedRun, first: Ints, stretches: tuple[Ints, Ints, Ints], grade: float
) -> JudgedPairs:
    """Return the judged pairs with further ones, given by their first results, and the highlights in them."""
    assessed, more = ranked.assessed, len(first)
    pair, start, end = stretches
    judged = len(assessed.topic)
    docs = ranked.columns["doc"].gather(ranked.source[first])
    topics = pl.Series(assessed.topics, dtype=pl.String).gather(ranked.topic[first])
    numbers = pl.Series(np.arange(judged, judged + more)).cast(assessed.pairs.schema["pair"])
    pairs = pl.DataFrame({"pair": numbers, "topic": topics, "doc": docs}).select(assessed.pairs.columns)
    sizes = sum_by_group(pair - judged, end - start, more).astype(np.int64)
    unknown = np.full(more, -1, dtype=np.int64)
    text = assessed.relevant_text

    def append(values: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
        parts = zip(values, stretches, strict=True)
        groups, starts, ends = (np.concatenate([old, new]) for old, new in parts)
        return groups, starts, ends

    return replace(
        assessed,
        pairs=pl.concat([assessed.pairs, pairs]),
        topic=np.concatenate([assessed.topic, ranked.topic[first]]),
        relevant_size=np.concatenate([assessed.relevant_size, sizes]),
        document_size=np.concatenate([assessed.document_size, unknown]),
        entry_point=np.concatenate([assessed.entry_point, unknown]),
        relevant_text=Coverage(*append((text.group, text.start, text.end))),
        passages=append(assessed.passages),
        spans=append(assessed.spans),
        span_aspects=pl.concat([assessed.span_aspects, assessed.span_aspects.clear(len(pair))]),
        document_grade=np.concatenate([assessed.document_grade, np.full(more, grade)]),
        is_judged=np.concatenate([assessed.is_judged, np.ones(more, dtype=bool)]),
    )
