"""Build the views of judged text."""

from __future__ import annotations

import numpy as np

from doxel.evaluation.ranked_run import RankedRun
from doxel.evaluation.views.span_view_builders import find_new_pieces, pad_topic_lists
from doxel.measures.judged_views import JudgedReading, JudgedResults, JudgedText

__all__ = ["build_judged_reading", "build_judged_results", "build_judged_text"]


def build_judged_text(ranked: RankedRun) -> JudgedText:
    """Build the view of new text in judged documents, by rank."""
    ranked.require_places()
    new_size = ranked.seen.new_size
    return JudgedText(
        new_size=ranked.matrix(new_size), new_judged=ranked.matrix(np.where(ranked.is_judged, new_size, 0))
    )


def build_judged_results(ranked: RankedRun) -> JudgedResults:
    """Build the view of results in judged documents, by rank."""
    return JudgedResults(judged=ranked.matrix(ranked.is_judged), length=ranked.length.astype(float))


def build_judged_reading(ranked: RankedRun) -> JudgedReading:
    """Build the view of relevant text in reading order, with the judged non-relevant text before it."""
    ranked.require_places()
    assessed, pieces = ranked.assessed, find_new_pieces(ranked)
    topic, topics = ranked.topic[pieces.owner], len(ranked.assessed.topics)
    # judged characters before each piece, in reading order: by result, then by position in the text
    size = np.where(ranked.is_judged[pieces.owner], pieces.end - pieces.start, 0)
    by_reading = np.lexsort((pieces.start, pieces.owner))
    judged_before = np.empty(len(size), dtype=np.int64)
    judged_before[by_reading] = np.cumsum(size[by_reading]) - size[by_reading]
    first = np.full(topics, np.iinfo(np.int64).max)
    np.minimum.at(first, topic, judged_before)
    text = assessed.relevant_text
    meetings = pieces.meet(text.group, text.start, text.end)
    order = np.lexsort((meetings.start, pieces.owner[meetings.piece]))
    piece, start = meetings.piece[order], meetings.start[order]
    relevant, of_topic = (meetings.end - meetings.start)[order], topic[meetings.piece[order]]
    running_total = np.cumsum(relevant) - relevant
    relevant_before = running_total - running_total[np.searchsorted(of_topic, of_topic)]
    before = judged_before[piece] - first[of_topic] + start - pieces.start[piece]
    columns = {
        "relevant": relevant,
        "nonrelevant": before - relevant_before,
        "rank": ranked.position[pieces.owner[piece]] + 1,
    }
    padded = {
        name: pad_topic_lists(of_topic, values.astype(float), topics) for name, values in columns.items()
    }
    return JudgedReading(**padded, total=assessed.total.astype(float))
