"""Criteria about single runs and the effect of changes on their scores: order, overlap, entry points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.statistics.rank_correlation import compute_kendall_tau
from doxel.studies.claims.claim_data import (
    ANY_SCALE,
    CLOSE_TO_EQUAL,
    ClaimData,
    Criterion,
    Evidence,
    average_by_run,
    drop_overlap,
    keep_elements,
    keep_order,
    name_scales,
    reverse_first,
    state_criterion,
    swap_nested,
)
from doxel.studies.claims.ranking_criteria import EQUIVALENT, require_tau
from doxel.wording import join_words

__all__ = [
    "decide_best_overlap",
    "decide_early_recall",
    "decide_focusing",
    "decide_high_a",
    "decide_low_a",
    "decide_nested_order",
    "require_equality",
]

_MUCH_OVERLAP = 0.7  # source 004, section 2.4


def require_equality(measure: str, other: str, *, scales: Sequence[str] = ANY_SCALE) -> Criterion:
    """Require that two measures give the elements of every run the same score in every topic."""

    def decide(data: ClaimData) -> Evidence:
        data.require_collection()
        study_data = data.change_runs(data.choose_runs(scales, fewest=1), keep_elements)
        scores = data.score(study_data, [measure, other])
        both = scores[measure].join(scores[other], on=["run", "topic"], how="inner", maintain_order="left")
        apart = (both["score"] - both["score_right"]).abs()
        greatest: Any = apart.max()
        if greatest is None:
            raise InputError("scores", wanted="topics that both measures score", found="none")
        row = both[int(apart.arg_max() or 0)].row(0, named=True)
        figures = {
            "scores": both.height,
            "equal": int((apart <= CLOSE_TO_EQUAL).sum()),
            "greatest difference": greatest,
        }
        analysis = (
            f"They differ most for {row['run']} in topic {row['topic']}: "
            f"{row['score']:.3f} and {row['score_right']:.3f}."
        )
        return Evidence(greatest <= CLOSE_TO_EQUAL, figures, analysis, study_data.assessments.scale)

    words = f"{measure} and {other} are equal for the elements of every run, in every topic"
    return Criterion(words, f"a run of elements, a collection, {name_scales(scales)}", decide)


@state_criterion(
    "reversing the first ten results changes some SRP@10 and no nxCG(task=thorough)@10",
    "a run with overlap, a collection, any assessments",
)
def decide_early_recall(data: ClaimData) -> Evidence:
    """Reverse the first ten results of every topic: SRP@10 should notice, nxCG@10 should not."""
    study_data = data.choose_runs(ANY_SCALE, fewest=1)
    data.measure_overlap(study_data)
    measures = ["SRP@10", "nxCG(task=thorough)@10"]
    before = data.score(data.change_runs(study_data, keep_order), measures)
    after = data.score(data.change_runs(study_data, partial(reverse_first, 10)), measures)
    changes = [_list_changes(before[measure], after[measure]) for measure in measures]
    srp, xcg = (int((change["change"] > CLOSE_TO_EQUAL).sum()) for change in changes)
    greatest: Any = changes[0]["change"].max()
    figures = {
        "scores": changes[0].height,
        "SRP changed": srp,
        "XCG changed": xcg,
        "greatest change of SRP": greatest,
    }
    analysis = (
        f"The order of the first ten results changes {srp} scores by SRP and {xcg} by XCG, of "
        f"{changes[0].height}; without overlap among the ten it changes none."
    )
    return Evidence(srp > 0 and xcg == 0, figures, analysis, study_data.assessments.scale)


def _list_changes(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the absolute change of each score: run, topic, score, change."""
    both = before.join(after, on=["run", "topic"], how="inner", maintain_order="left")
    return both.with_columns(change=(pl.col("score") - pl.col("score_right")).abs())


@state_criterion(
    "exchanging nested neighbours changes inex_eval_ng(variant=o) by a larger share than inex_eval "
    "and MAep(task=focused)",
    "runs with nested neighbours, 2005 grades or 2003-04 grades",
)
def decide_nested_order(data: ClaimData) -> Evidence:
    """Exchange nested neighbours in the rankings, and compare the relative changes of three measures."""
    scales = ("2005", "2003")
    study_data = data.choose_runs(scales, fewest=1)
    measures = ["inex_eval_ng(variant=o)", "inex_eval", "MAep(task=focused)"]
    before = data.score(data.change_runs(study_data, keep_order), measures)
    after = data.score(data.change_runs(study_data, swap_nested), measures)
    figures = {}
    for measure in measures:
        changes = _list_changes(before[measure], after[measure])
        total: Any = changes["score"].sum()
        figures[f"change of {measure}"] = changes["change"].sum() / total if total else float("nan")
    first, *others = figures.values()
    if not np.isfinite([first, *others]).all() or max(first, *others) == 0:
        raise InputError("runs", wanted="nested results next to each other in a ranking", found="none")
    analysis = (
        f"Exchanging nested neighbours changes inex_eval_ng(o) by {first:.1%}, inex_eval by {others[0]:.1%} "
        f"and MAep by {others[1]:.1%} of the scores."
    )
    return Evidence(first > max(others), figures, analysis, study_data.assessments.scale)


@state_criterion(
    "every run with overlap scores less by inex_eval once its overlap is removed",
    "a run with overlap, any assessments",
)
def decide_focusing(data: ClaimData) -> Evidence:
    """Remove overlap from the runs, and compare their scores by inex_eval."""
    study_data = data.choose_runs(ANY_SCALE, fewest=1)
    overlap = data.measure_overlap(study_data)
    before = data.score(study_data, ["inex_eval"])
    after = average_by_run(data.score(data.change_runs(study_data, drop_overlap), ["inex_eval"])["inex_eval"])
    means = average_by_run(before["inex_eval"])
    runs = [run for run, share in overlap.items() if share > 0 and run in means and run in after]
    higher = [run for run in runs if after[run] >= means[run]]
    figures: dict[str, float] = {"runs": len(runs), "lower": len(runs) - len(higher)}
    figures |= {f"kept by {run}": after[run] / means[run] if means[run] else float("nan") for run in runs}
    analysis = f"Without overlap these score no less: {join_words(higher)}." if higher else ""
    return Evidence(not higher, figures, analysis, study_data.assessments.scale)


@state_criterion(
    "each of the best ten runs by inex_eval (of fewer than twenty, the better half) has an overlap of "
    "at least 0.7",
    "runs, any assessments",
)
def decide_best_overlap(data: ClaimData) -> Evidence:
    """Look at the overlap of the best ten runs by inex_eval; of fewer than twenty runs, the better half."""
    study_data = data.choose_runs(ANY_SCALE)
    scores = data.score(study_data, ["inex_eval", "overlap@1500"])
    means, overlap = average_by_run(scores["inex_eval"]), average_by_run(scores["overlap@1500"])
    best = sorted(means, key=lambda run: -means[run])[: min(10, len(means) // 2)]
    figures = {f"overlap of {run}": overlap[run] for run in best}
    without = [run for run in best if overlap[run] < _MUCH_OVERLAP]
    analysis = f"Less overlap, and yet among the best: {join_words(without)}." if without else ""
    return Evidence(not without, figures, analysis, study_data.assessments.scale)


def _score_entries(data: ClaimData, fewest: int, *values: float) -> tuple[list[dict[str, float]], str]:
    """Return the mean BEPD of each run for several values of A; of a document the first result counts."""
    study_data = data.choose_runs(ANY_SCALE, fewest=fewest)
    if not study_data.assessments.beps.height:
        raise InputError("best entry points", wanted="assessments that have them", found="none")
    measures = [f"BEPD(A={value:.10g})" for value in values]
    scores = data.score(study_data, measures, on_invalid="repair")
    return [average_by_run(scores[measure]) for measure in measures], study_data.assessments.scale


_FAR = 1e9  # A for which any entry point in a relevant document scores 1
_EXACT = 1e-9  # A for which only the best entry point itself scores


@state_criterion(
    "the answers of every run in relevant documents score at least 0.9 on average (BEPD, A = 10)",
    "a run, a collection, best entry points",
)
def decide_high_a(data: ClaimData) -> Evidence:
    """Compute the mean score of an answer in a relevant document, for A = 10 and for A = 0.1."""
    (high, low, far), scale = _score_entries(data, 1, 10, 0.1, _FAR)
    runs = [run for run, score in far.items() if score > 0]
    if not runs:
        raise InputError("runs", wanted="answers in documents with a best entry point", found="none")
    shares = {run: high[run] / far[run] for run in runs}
    worst = min(shares, key=lambda run: shares[run])
    figures = {
        "lowest mean score, A = 10": shares[worst],
        "highest mean score, A = 10": max(shares.values()),
        "lowest mean score, A = 0.1": min(low[run] / far[run] for run in runs),
        "runs": len(runs),
    }
    analysis = f"The answers of {worst} in relevant documents score {shares[worst]:.2f} on average."
    return Evidence(shares[worst] >= EQUIVALENT, figures, analysis, scale)


@state_criterion(
    "the ranking by BEPD with A = 0.1 has a higher tau with the ranking by exact hits than with A = 10",
    "runs, a collection, best entry points",
)
def decide_low_a(data: ClaimData) -> Evidence:
    """Compare the rankings for A = 0.1 and A = 10 with the ranking by exact entry points."""
    (low, high, exact), scale = _score_entries(data, 3, 0.1, 10, _EXACT)
    runs = list(exact)
    taus = [
        require_tau(compute_kendall_tau([score[run] for run in runs], [exact[run] for run in runs]))
        for score in (low, high)
    ]
    figures = {"tau with exact, A = 0.1": taus[0], "tau with exact, A = 10": taus[1], "runs": len(runs)}
    best = [max(score, key=lambda run: score[run]) for score in (low, high, exact)]
    analysis = f"The best run is {best[0]} for A = 0.1, {best[1]} for A = 10, and {best[2]} by exact hits."
    return Evidence(taus[0] > taus[1], figures, analysis, scale)
