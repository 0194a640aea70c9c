"""The warnings that only scoring can make: about topics, text that nobody judged, and results without text.

Topics may be in a run or in the assessments but not in both, have no score, or an infinite one.  A measure
that counts characters needs results that have some: entry points have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from doxel.assessments.judged_pairs import JudgedPairs
from doxel.checks.run_task_checks import describe_unassessed_topics, describe_unknown_documents
from doxel.checks.score_warnings import ScoreWarning
from doxel.measures import Measure
from doxel.measures.gain_views import ArticleGains
from doxel.measures.judged_views import JudgedResults
from doxel.measures.measure_table import join_measure_names
from doxel.measures.text_views import OverlapRanks, RetrievedArticles
from doxel.measures.user_views import EntryDistances, Readings
from doxel.spans import Floats, Ints, sum_by_group
from doxel.usermodels import find_model
from doxel.wording import format_share, join_words, pluralise

if TYPE_CHECKING:
    from doxel.evaluation.ranked_run import RankedRun

__all__ = [
    "UNEQUAL_TOPICS",
    "counts_characters",
    "describe_removed_results",
    "describe_short_results",
    "describe_topic_mismatches",
    "describe_unequal_topics",
    "describe_unjudged_documents",
    "describe_unjudged_text",
    "merge_unjudged_notes",
    "note_infinite_topics",
    "note_relevant_only",
    "note_undefined_topics",
]

UNEQUAL_TOPICS = "S117"
"""The code of the warning that means are over different topics."""

_UNJUDGED_TEXT = "S121"
_MANY_NOTES = 3  # notes on more runs are shown as one

# views that take a result's document or start, or count results
_WITHOUT_SIZES = (ArticleGains, EntryDistances, JudgedResults, OverlapRanks, Readings, RetrievedArticles)


def note_undefined_topics(scores: pl.DataFrame, unscored: Sequence[tuple[str, str]]) -> list[ScoreWarning]:
    """List the topics that have nothing to find, with the measures that leave them undefined.

    Topics and measures in ``unscored`` have no score for another reason, which has its own warning.
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

    ``lacking`` is the number of assessed topics that have no results and still count.
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
            "assessed topic has no results and scores 0; if the run was not made for it, ",
            "assessed topics have no results and score 0; if the run was not made for them, ",
        )
        sentence += "use --topics run (in Python topics='run')"
        warnings.append(ScoreWarning(sentence, "R402", topics=lacking))
    return warnings


def describe_unjudged_documents(
    returned: pl.Series, judged: pl.Series, *, topics: int, is_known: bool = False
) -> ScoreWarning:
    """Describe a run none of whose documents was judged for its topic: it failed, or its ids differ.

    ``topics`` is their number; ``is_known``: the documents of the run are in the collection.
    """
    returned, judged = (documents.unique(maintain_order=True) for documents in (returned, judged))
    if is_known or returned.is_in(judged.implode()).any():
        sentence = (
            "none of its documents was judged for its topic: "
            f"the run has documents {join_words(returned.to_list(), 3)}, "
            f"the assessments have {join_words(judged.to_list(), 3)}; check that the ids match"
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


def describe_unjudged_text(ranked: RankedRun) -> list[ScoreWarning]:
    """Return a note with the share of the retrieved characters that are in judged documents, unless all are.

    Each character counts once per topic.  Results count instead if their sizes are unknown or 0.
    """
    is_judged = ranked.is_judged
    if is_judged.all():
        return []
    if ranked.has_sizes and ranked.size.any():
        # the results of a document are all judged or all unjudged, so each of them may count their text
        counts, unit = ranked.shared_text.distinct_size, "characters"
        total, judged = int(counts.sum()), int(counts @ is_judged)
    else:
        total, judged, unit = len(ranked), int(np.count_nonzero(is_judged)), "results"
    if judged == total:
        return []
    topics = int(np.count_nonzero(np.bincount(ranked.topic[~is_judged])))
    share = format_share(judged / total, 1)
    sentence = f"{share} of the retrieved {unit} are in judged documents ({judged:,} of {total:,})"
    return [ScoreWarning(sentence, _UNJUDGED_TEXT, topics=topics)]


def merge_unjudged_notes(warnings: Sequence[ScoreWarning]) -> list[ScoreWarning]:
    """Return warnings with one note for the unjudged text of many runs, so that it does not hide others.

    >>> notes = [ScoreWarning(f"{share}% of the characters", "S121", run=f"r{share}") for share in "9357"]
    >>> print(*merge_unjudged_notes(notes))
    4 runs retrieved unjudged text: 3% (r3) to 9% (r9) of what they retrieved is in judged documents
    """
    notes = [warning for warning in warnings if warning.code == _UNJUDGED_TEXT and warning.run is not None]
    if len(notes) <= _MANY_NOTES:
        return list(warnings)
    shares = [note.sentence.partition("%")[0] for note in notes]
    lowest, highest = (choose(range(len(notes)), key=lambda row: float(shares[row])) for choose in (min, max))
    ends = " to ".join(f"{shares[row]}% ({notes[row].run})" for row in (lowest, highest))
    rest = "of what they retrieved is in judged documents"
    merged = ScoreWarning(f"{len(notes):,} runs retrieved unjudged text: {ends} {rest}", _UNJUDGED_TEXT)
    return [*(warning for warning in warnings if warning not in notes), merged]


def describe_removed_results(ranked: RankedRun) -> ScoreWarning:
    """Return a note with the number of results that ``unjudged="remove"`` removes."""
    removed = ~ranked.is_judged
    count = int((removed & ranked.begins_result).sum())
    topics = len(np.unique(ranked.topic[removed]))
    subject = pluralise(count, "result in an unjudged document", "results in unjudged documents")
    return ScoreWarning(f"{subject} removed, in {pluralise(topics, 'topic')}", "S123", topics=topics)


def _lists_relevant_only(assessed: JudgedPairs) -> bool:
    """Return whether no document was judged non-relevant, so that only relevant documents are listed."""
    is_relevant = (assessed.relevant_size > 0) | (assessed.document_grade > 0) | (assessed.entry_point >= 0)
    return bool(len(is_relevant)) and bool(is_relevant[assessed.is_judged].all())


def note_relevant_only(
    warnings: Sequence[ScoreWarning], assessed: JudgedPairs, *, residual: bool
) -> list[ScoreWarning]:
    """Return the notes that no document was judged non-relevant, if runs have text in unjudged documents."""
    is_noted = any(warning.code == _UNJUDGED_TEXT for warning in warnings)
    if not is_noted or not _lists_relevant_only(assessed):
        return []
    sentence = (
        "no document is judged non-relevant: the assessments list relevant documents only, and documents "
        "judged not relevant cannot be distinguished from documents that nobody judged"
    )
    notes = [ScoreWarning(sentence, "S122")]
    if residual:
        notes.append(
            ScoreWarning(
                "residuals may be too large: every document that is not listed counts as unjudged, even if "
                "it was judged not relevant",
                "S124",
            )
        )
    return notes


def counts_characters(measure: Measure, parameters: Mapping[str, Any], models: Mapping[str, Any]) -> bool:
    """Return whether a measure gives nothing to a result without characters; ``models`` are custom ones."""
    declaration, view = measure.declaration, measure.declaration.view
    if declaration.origin is not None or declaration.name == "gR" or view in _WITHOUT_SIZES:
        return False
    if view.audited_as == "documents" or view.ranks == "chunks" or parameters.get("score", "f") != "f":
        return False
    name = parameters.get("model")
    if name is None:
        return True
    model = None if name in models else find_model(name)
    return model is not None and model.targets != "entry points"


def describe_short_results(ranked: RankedRun, measures: Sequence[str]) -> ScoreWarning | None:
    """Return a warning about entry points scored by characters, or a note with the number of empty results.

    ``measures`` are those that count characters.  Results that all have length 1 are entry points, too, as in
    ``inex_eval``.
    """
    if not measures or not ranked.has_short_results:
        return None
    size: Floats | Ints = ranked.size
    is_found = ranked.found
    if ranked.has_pieces:
        size = sum_by_group(ranked.number, size, int(ranked.length.sum()))
        is_found = np.bincount(ranked.number, weights=is_found) > 0
    size = size[is_found]
    empty = int(np.count_nonzero(size == 0))
    are_single = len(size) > 1 and size.max() <= 1 < ranked.assessed.relevant_size.max(initial=0)
    if empty == len(size) or are_single:
        reason = "a start, but no end after it" if empty == len(size) else "at most 1 character"
        subject = pluralise(
            len(size),
            f"result has {reason}, and counts as an entry point",
            f"results have {reason}, and count as entry points",
        )
        verb = "scores" if len(measures) == 1 else "score"
        sentence = (
            f"{subject}; {join_words(measures, 3)} {verb} retrieved text: give the ends of passages, or "
            "score entry points with BEPD or MAgP(score=bep)"
        )
        return ScoreWarning(sentence, "S127")
    if not empty:
        return None
    subject = pluralise(empty, "result ends where it starts", "results end where they start")
    verb = "retrieves" if empty == 1 else "retrieve"
    return ScoreWarning(f"{subject}, of {len(size):,} results, and {verb} no characters", "S128")
