"""The official figures of living campaigns: their sets by name, and the evaluation of runs with them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl
import polars.selectors as cs

from doxel.assessments.assessment_files import read_assessments
from doxel.assessments.assessments import Assessments
from doxel.checks.run_task_checks import describe_unassessed_topics
from doxel.checks.score_warnings import ScoreWarning, note_reading
from doxel.errors import InputError, MeasureError
from doxel.evaluation.compat.campaigns.archehr_figures import ARCHEHR
from doxel.evaluation.compat.campaigns.bioasq_figures import BIOASQ
from doxel.evaluation.compat.campaigns.genomics_figures import GENOMICS
from doxel.evaluation.compat.campaigns.locomo_figures import LOCOMO
from doxel.evaluation.compat.campaigns.msmarco_figures import MSMARCO
from doxel.evaluation.compat.campaigns.qasper_figures import QASPER
from doxel.evaluation.compat.campaigns.scorer_declaration import CampaignScorer, CampaignScores
from doxel.evaluation.evaluation_result import MORE_COLUMNS, SCORES, Evaluation, Rejection
from doxel.evaluation.inputs.input_tables import as_assessments, as_runs, read_source
from doxel.evaluation.inputs.measure_sets import split_names
from doxel.runs.run import name_runs
from doxel.runs.run_files import read_run
from doxel.wording import join_words, pluralise

__all__ = [
    "CAMPAIGN_SCORERS",
    "CAMPAIGN_SETS",
    "evaluate_campaign",
    "find_figure",
    "find_scorer",
    "join_evaluations",
    "list_campaign_sets",
    "load_gold",
    "score_campaigns",
    "split_request",
]

CAMPAIGN_SCORERS: tuple[CampaignScorer, ...] = (BIOASQ, GENOMICS, ARCHEHR, LOCOMO, QASPER, MSMARCO)
CAMPAIGN_SETS: dict[str, CampaignScorer] = {
    name: scorer for scorer in CAMPAIGN_SCORERS for name in scorer.sets
}
_TOPIC_CODES = ("R401", "R402")  # topics of only one side, which both evaluations report


def list_campaign_sets() -> dict[str, str]:
    """Return the figures of each named set, as ``doxel measures`` shows them."""
    return {
        name: f"{', '.join(figures)} (official{f', with --compat {scorer.name}' if scorer.compat else ''})"
        for scorer in CAMPAIGN_SCORERS
        for name, figures in scorer.sets.items()
    }


def find_figure(name: str) -> CampaignScorer | None:
    """Return the scorer that computes a figure, None for any other name."""
    if "@" in name:  # MRR@10 by itself is doxel's RR@10
        return None
    return next(
        (scorer for scorer in CAMPAIGN_SCORERS if any(name in figures for figures in scorer.sets.values())),
        None,
    )


def find_scorer(name: str) -> CampaignScorer:
    """Return the scorer with a name, as in ``--compat``."""
    return next(scorer for scorer in CAMPAIGN_SCORERS if scorer.name == name)


def score_campaigns(
    measures: Any, runs: Any, assessments: Any, **settings: Any
) -> tuple[Evaluation | None, Any]:
    """Return the official figures among requested measures, or None, and the other measures."""
    names, others = split_request(measures)
    if not names:
        return None, measures
    by_scorer: dict[str, list[str]] = {}
    for name in names:
        scorer = CAMPAIGN_SETS.get(name) or find_figure(name)
        if scorer is None:
            continue
        if scorer.compat:
            raise MeasureError(
                f"{name!r} is a figure of a program with faults of its own: ask for it with --compat "
                f"{scorer.name} ('doxel measures --compat {scorer.name}' lists the faults)"
            )
        by_scorer.setdefault(scorer.name, []).append(name)
    gold = load_gold(assessments)
    evaluations = [
        evaluate_campaign(find_scorer(name), runs, gold, wanted, **settings)
        for name, wanted in by_scorer.items()
    ]
    first, *rest = evaluations
    for evaluation in rest:
        first = join_evaluations(first, evaluation)
    return first, others or None


def join_evaluations(first: Evaluation, second: Evaluation) -> Evaluation:
    """Return the scores of two evaluations of the same runs in one, official figures (``second``) first."""
    columns = ("run", "measure", "score", *MORE_COLUMNS)
    known_warnings = {
        (warning.run, warning.code) for warning in first.warnings if warning.code in _TOPIC_CODES
    }
    new_warnings = [
        warning for warning in second.warnings if (warning.run, warning.code) not in known_warnings
    ]
    return replace(
        first,
        scores=pl.concat([second.scores, first.scores], how="diagonal"),
        overall=pl.concat(
            [
                evaluation.means.select(cs.by_name(columns, require_all=False))
                for evaluation in (second, first)
            ],
            how="diagonal",
        ),
        rejected=tuple(dict.fromkeys((*first.rejected, *second.rejected))),
        warnings=tuple(dict.fromkeys((*first.warnings, *new_warnings))),
        parameters={**second.parameters, **first.parameters},
    )


def load_gold(source: Any) -> Assessments:
    """Return gold for official figures, which need no collection."""
    if isinstance(source, Assessments):
        return source
    paths = source if isinstance(source, list | tuple) else [source]
    if paths and all(isinstance(path, str | os.PathLike) for path in paths):
        return read_assessments(paths)
    return as_assessments(source)


def split_request(measures: Any) -> tuple[list[str], list[Any]]:
    """Split requested measures into sets and figures of campaigns, and all others.

    >>> split_request(["genomics2007", "char_rec@5"])
    (['genomics2007'], ['char_rec@5'])
    """
    names: list[str] = []
    others: list[Any] = []
    for name in split_names(measures):
        (names if isinstance(name, str) and _is_official(name) else others).append(name)
    return names, others


def _is_official(name: str) -> bool:
    return name in CAMPAIGN_SETS or find_figure(name) is not None


def evaluate_campaign(
    scorer: CampaignScorer,
    runs: Any,
    assessments: Any,
    measures: Any = None,
    *,
    skip_errors: bool = False,
    progress: Callable[[], None] | None = None,
) -> Evaluation:
    """Return the official figures of a campaign for runs.

    Parameters
    ----------
    scorer
        The campaign's scorer.
    runs, assessments
        As for :func:`doxel.evaluate`; runs are those of the campaign, or can be written in its format.
    measures
        The name of a set, or figures by name, which are those of the default set; None for all of that.
    skip_errors
        Whether to list a run that cannot be read as rejected, instead of raising the error.
    progress
        Called after each run.
    """
    set_name, figures = _choose_figures(scorer, measures)
    gold = load_gold(assessments)
    scored: list[tuple[str, str | None, CampaignScores]] = []
    rejected: list[Rejection] = []
    warnings: list[tuple[int, ScoreWarning]] = []
    for source in as_runs(runs):
        try:
            run = read_source(source, read_run)
            scores = scorer.score(run, gold, set_name)
        except InputError as error:
            if not skip_errors:
                raise
            rejected.append(Rejection(str(getattr(source, "id", source)), "all", str(error)))
            continue
        finally:
            if progress is not None:
                progress()
        notes = [*map(note_reading, run.notes), *_describe_topics(scorer, scores)]
        warnings += [(len(scored), note) for note in notes]
        scored.append((run.id, run.file, scores))
    names = name_runs([(run_id, file) for run_id, file, _ in scored])
    rows = [
        (name, topic, figure, values[figure])
        for name, (_, _, scores) in zip(names, scored, strict=True)
        for figure in figures
        for topic, values in scores.topics.items()
    ]
    overall = [
        (name, figure, scores.overall[figure])
        for name, (_, _, scores) in zip(names, scored, strict=True)
        for figure in figures
    ]
    return Evaluation(
        scores=pl.DataFrame(rows, schema=SCORES.schema, orient="row"),
        rejected=tuple(rejected),
        warnings=tuple(
            dict.fromkeys(
                [
                    *map(note_reading, gold.notes),
                    *(note.name_run(names[number]) for number, note in warnings),
                ]
            )
        ),
        parameters={"campaign": scorer.name, "set": set_name, "measures": list(figures)},
        overall=pl.DataFrame(overall, schema=SCORES.empty().drop("topic").schema, orient="row"),
    )


def _choose_figures(scorer: CampaignScorer, measures: Any) -> tuple[str, tuple[str, ...]]:
    """Return the set of a request, and the figures to show."""
    items = [measures] if isinstance(measures, str) else list(measures or ())
    names = [piece.strip() for item in items for piece in str(item).split(",")]
    sets = list(dict.fromkeys(name for name in names if name in scorer.sets))
    if len(sets) > 1:
        raise MeasureError(f"{' and '.join(sets)} have figures of the same names; ask for one set at a time")
    set_name = sets[0] if sets else list(scorer.sets)[-1]
    set_figures = scorer.sets[set_name]
    figures = tuple(dict.fromkeys(name for name in names if name not in scorer.sets))
    if unknown := [name for name in figures if name not in set_figures]:
        names_and_sets = (
            f"{join_words(set_figures, len(set_figures))}, and the sets {join_words(list(scorer.sets), 9)}"
        )
        raise MeasureError(f"{scorer.name} has no figure {unknown[0]!r}; it has {names_and_sets}")
    return set_name, figures if figures and not sets else set_figures


def _describe_topics(scorer: CampaignScorer, scores: CampaignScores) -> list[ScoreWarning]:
    notes = [ScoreWarning(note, "S114") for note in scores.notes]
    if scores.unassessed:
        topics = list(scores.unassessed)
        subject = pluralise(
            len(topics), "topic was never assessed and is", "topics were never assessed and are"
        )
        notes.append(ScoreWarning(f"{subject} ignored ({join_words(topics)})", "R401", topics=len(topics)))
    if scores.lacking:
        topics = list(scores.lacking)
        subject = pluralise(len(topics), "assessed topic has", "assessed topics have")
        verb = "is" if len(topics) == 1 else "are"
        sentence = f"{subject} no answer ({join_words(topics)}) and {verb} {scorer.lacking}"
        notes.append(ScoreWarning(sentence, "R402", topics=len(topics)))
    if scores.unassessed and set(scores.topics) <= set(scores.lacking):
        sentence = describe_unassessed_topics(list(scores.unassessed), list(scores.lacking))
        notes.append(ScoreWarning(sentence, "R403", topics=len(scores.unassessed), effect="guess"))
    return notes
