"""Warnings about topics: in a run or in the assessments, but not in both, without a score, or infinite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from doxel.checks.run_task_checks import describe_unassessed_topics, describe_unknown_documents
from doxel.checks.score_warnings import ScoreWarning
from doxel.measures.measure_table import join_measure_names
from doxel.wording import join_words, pluralise

__all__ = [
    "UNEQUAL_TOPICS",
    "describe_topic_mismatches",
    "describe_unequal_topics",
    "describe_unjudged_documents",
    "note_infinite_topics",
    "note_undefined_topics",
]

UNEQUAL_TOPICS = "S117"
"""The code of the warning that means are over different topics."""


def note_undefined_topics(scores: pl.DataFrame, unscored: Sequence[tuple[str, str]]) -> list[ScoreWarning]:
    """List the topics that have nothing to find, with the measures for which this is so.

    Topics and measures in ``unscored`` have no score for another reason, which is noted elsewhere.
    """
    if not np.isnan(scores["score"].to_numpy()).any():
        return []
    empty = scores.filter(pl.col("score").is_nan()).select("topic", "measure").unique(maintain_order=True)
    others = pl.DataFrame(list(unscored), schema={"topic": pl.String, "measure": pl.String}, orient="row")
    empty = empty.join(others, on=["topic", "measure"], how="anti", maintain_order="left")
    by_topics = (
        empty.group_by("measure", maintain_order=True)
        .agg("topic")
        .group_by("topic", maintain_order=True)
        .agg("measure")
    )
    measures = scores["measure"].n_unique()
    messages: list[ScoreWarning] = []
    for topics, names in by_topics.iter_rows():
        measures_clause = "" if len(names) == measures else f" for {join_measure_names(names)}"
        subject = pluralise(len(topics), "assessed topic has", "assessed topics have")
        outcome = "its score is" if len(topics) == 1 else "their scores are"
        sentence = (
            f"{subject} nothing to find{measures_clause} ({join_words(topics)}): "
            f"{outcome} undefined and left out of the mean"
        )
        messages.append(ScoreWarning(sentence, "S102", topics=len(topics)))
    return messages


def note_infinite_topics(scores: pl.DataFrame) -> list[ScoreWarning]:
    """List the infinite scores, such as reading that never finds enough."""
    if not np.isinf(scores["score"].to_numpy()).any():
        return []
    never = scores.filter(pl.col("score").is_infinite()).group_by("run", "measure", maintain_order=True)
    return [
        ScoreWarning(
            f"{measure} is infinite for {pluralise(len(topics), 'topic')} ({join_words(topics)}); "
            f"{'it is' if len(topics) == 1 else 'they are'} left out of the mean",
            "S103",
            run=run,
            topics=len(topics),
        )
        for run, measure, topics in never.agg("topic").iter_rows()
    ]


def describe_topic_mismatches(
    results: pl.DataFrame, assessed: Sequence[str], lacking: int, *, needs_no_results: bool = False
) -> list[ScoreWarning]:
    """List ignored results of topics that were not assessed, and topics that score 0.

    ``lacking`` is the number of assessed topics that have no results but count all the same.
    ``needs_no_results``: a chunking may be scored, not a run.
    """
    warnings: list[ScoreWarning] = []
    blocks = results["topic"].rle().struct.field("value")  # few: results are grouped by topic
    unassessed = results.clear()
    if not blocks.is_in(assessed).all():
        unassessed = results.filter(~pl.col("topic").is_in(assessed))
    if unassessed.height:
        topics = unassessed["topic"].n_unique()
        subject = pluralise(topics, "topic was never assessed; its", "topics were never assessed; their")
        sentence = f"{subject} {pluralise(unassessed.height, 'result is', 'results are')} ignored"
        warnings.append(ScoreWarning(sentence, "R401", topics=topics))
    if unassessed.height and unassessed.height == results.height:
        returned = results["topic"].unique(maintain_order=True).to_list()
        sentence = describe_unassessed_topics(returned, assessed)
        warnings.append(ScoreWarning(sentence, "R403", topics=len(returned), effect="guess"))
    if not results.height and not needs_no_results:
        outcome = "every assessed topic counts as an empty list" if lacking else "no topic counts"
        sentence = f"the run has no results; {outcome}"
        warnings.append(ScoreWarning(sentence, "R402", topics=len(assessed), effect="guess"))
    elif lacking:
        sentence = pluralise(
            lacking,
            "assessed topic has no results and scores 0; if it was not asked, ",
            "assessed topics have no results and score 0; if they were not asked, ",
        )
        sentence += "use --topics run (in Python topics='run')"
        warnings.append(ScoreWarning(sentence, "R402", topics=lacking))
    return warnings


def describe_unjudged_documents(
    returned: pl.Series, judged: pl.Series, *, topics: int, is_known: bool = False
) -> ScoreWarning:
    """Describe a run of which no document was judged for its topic: a failure, or other ids.

    ``topics`` is their number; ``is_known``: the documents of the run are in the collection.
    """
    returned, judged = (documents.unique(maintain_order=True) for documents in (returned, judged))
    if is_known or returned.is_in(judged.implode()).any():
        sentence = (
            "none of its documents was judged for its topic: "
            f"the run has documents {join_words(returned.to_list(), 3)}, "
            f"the assessments have {join_words(judged.to_list(), 3)}; do the ids match?"
        )
        return ScoreWarning(sentence, "S113", topics=topics)
    sentence = describe_unknown_documents(returned.to_list(), judged.to_list())
    return ScoreWarning(sentence, "R406", topics=topics, effect="guess")


def describe_unequal_topics(scores: pl.DataFrame) -> list[ScoreWarning]:
    """Return the warning that the runs' means are over different topics, if they are."""
    of_run = scores.group_by("run", maintain_order=True).agg(pl.col("topic").unique().sort())
    if of_run["topic"].n_unique() < 2:
        return []
    counts = [(run, len(topics)) for run, topics in of_run.iter_rows()]
    numbers = sorted({count for _, count in counts})
    spread = f"{numbers[0]:,} to {numbers[-1]:,}" if len(numbers) > 1 else f"{numbers[0]:,} different"
    listed = join_words([f"{run} {count:,}" for run, count in counts])
    sentence = f"the means are over different topics, {spread} per run ({listed}), and are not comparable"
    advice = "--topics assessed counts the same topics for all runs"
    return [ScoreWarning(f"{sentence}; {advice}", UNEQUAL_TOPICS, topics=scores["topic"].n_unique())]
