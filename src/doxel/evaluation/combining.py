"""Combine the scores of all runs in one table, with the warnings about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from doxel.evaluation.evaluation import SCORES, Evaluation, Rejection
from doxel.evaluation.jobs import Scored
from doxel.measures.measure_table import join_measure_names
from doxel.runs.run import name_runs
from doxel.wording import join_words, pluralise

__all__ = ["combine"]


def combine(scored: Sequence[Scored], *, notes: Sequence[str], parameters: Mapping[str, Any]) -> Evaluation:
    """Combine the evaluations of single runs; ids that several runs share become ``id:file``.

    ``notes`` concern all runs and come first among the warnings.
    """
    tables: list[pl.DataFrame] = [SCORES.empty()]
    rejected: list[Rejection] = []
    warnings: list[str] = []
    results: list[pl.DataFrame] = []
    for scored_run, name in zip(
        scored, name_runs([(scored_run.run, scored_run.file) for scored_run in scored]), strict=True
    ):
        evaluation = scored_run.evaluation
        tables.append(evaluation.scores.with_columns(run=pl.lit(name)))
        results += [] if evaluation.results is None else [evaluation.results.with_columns(run=pl.lit(name))]
        rejected += [replace(rejection, run=name) for rejection in evaluation.rejected]
        warnings += [
            f"{name}: {warning.removeprefix(f'{scored_run.run}: ')}" for warning in evaluation.warnings
        ]
    scores = pl.concat(tables)
    messages = (*notes, *_undefined_topics(scores), *_infinite_topics(scores), *warnings)
    return Evaluation(
        scores=scores,
        rejected=tuple(rejected),
        warnings=tuple(dict.fromkeys(messages)),
        parameters=parameters,
        results=pl.concat(results) if results else None,
    )


def _undefined_topics(scores: pl.DataFrame) -> list[str]:
    """List the topics that have nothing to find, with the measures for which this is so."""
    empty = scores.filter(pl.col("score").is_nan()).select("topic", "measure").unique(maintain_order=True)
    by_topics = (
        empty.group_by("measure", maintain_order=True)
        .agg("topic")
        .group_by("topic", maintain_order=True)
        .agg("measure")
    )
    measures = scores["measure"].n_unique()
    messages = []
    for topics, names in by_topics.iter_rows():
        measures_clause = "" if len(names) == measures else f" for {join_measure_names(names)}"
        subject = pluralise(len(topics), "assessed topic has", "assessed topics have")
        outcome = "its score is" if len(topics) == 1 else "their scores are"
        messages.append(
            f"{subject} nothing to find{measures_clause} ({join_words(topics)}): "
            f"{outcome} undefined and left out of the mean"
        )
    return messages


def _infinite_topics(scores: pl.DataFrame) -> list[str]:
    """List the infinite scores, such as reading that never finds enough."""
    never = scores.filter(pl.col("score").is_infinite()).group_by("run", "measure", maintain_order=True)
    return [
        f"{run}: {measure} is infinite for {pluralise(len(topics), 'topic')} ({join_words(topics)}); "
        f"{'it is' if len(topics) == 1 else 'they are'} left out of the mean"
        for run, measure, topics in never.agg("topic").iter_rows()
    ]
