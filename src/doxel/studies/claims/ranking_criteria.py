"""Criteria about rankings: how similarly measures and settings rank runs.

A criterion is written from the paper's sentence before any data are seen.  Words become numbers once, here:
rankings with a Kendall's tau of at least 0.9 are called equivalent ("the same", "highly correlated"), and
below 0.8 they differ noticeably; from 0.8 on they are similar (Voorhees, SIGIR 2001).  The same bounds hold
for the share of pairs of runs on which two sets of tests agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.studies.claims.claim_data import (
    ANY_SCALE,
    CLOSE_TO_EQUAL,
    ClaimData,
    Criterion,
    Evidence,
    name_scales,
    state_criterion,
)
from doxel.studies.ideal_base_study import study_ideal_base
from doxel.studies.measure_agreement_study import MeasureAgreement
from doxel.studies.settings_study import SettingsStudy
from doxel.studies.structural_relevance_study import study_structural_relevance
from doxel.studies.study_data import SURE
from doxel.wording import join_words, pluralise

__all__ = [
    "EQUIVALENT",
    "SIMILAR",
    "compare_all_rankings",
    "compare_rankings",
    "compare_settings",
    "compare_with_xcg",
    "decide_base_changes_rankings",
    "decide_base_changes_scores",
    "decide_fewer_grades",
    "decide_heuristics",
    "decide_target_and_support",
    "list_setting_figures",
    "require_agreement",
    "require_tau",
]

EQUIVALENT, SIMILAR = 0.9, 0.8
_THOROUGH = "MAep(task=thorough)"
_RANKING = ("tau", "low", "high", "runs", "topics", "moved")
_DECISIONS = (
    "pairs",
    "topics",
    "same decisions",
    "significant under A",
    "significant under B",
    "better under B",
    "significantly better under B",
)


def require_tau(tau: float) -> float:
    """Return tau, which must be defined."""
    if not np.isfinite(tau):
        raise InputError("tau", wanted="runs with different scores", found="runs with equal scores")
    return tau


def compare_rankings(
    pairs: Mapping[str, tuple[str, str]], *, at_least: float, scales: Sequence[str] = ANY_SCALE
) -> Criterion:
    """Require that the rankings of runs by two measures agree; ``pairs`` of measures have labels."""

    def decide(data: ClaimData) -> Evidence:
        figures: dict[str, float] = {}
        moves = []
        for label, measures in pairs.items():
            study = data.compare_measures(measures, scales)
            row = study.pairs.row(0, named=True)
            correlations = {
                "tau": require_tau(row["tau"]),
                "low": row["low"],
                "high": row["high"],
                "runs": row["runs"],
            }
            figures |= {f"{name} {label}".strip(): value for name, value in correlations.items()}
            moves.append(_describe_moves(study))
        lowest = min(value for name, value in figures.items() if name.startswith("tau"))
        analysis = " ".join(dict.fromkeys(move for move in moves if move))
        if any(figures[name.replace("tau", "high", 1)] >= at_least for name in figures if name[:3] == "tau"):
            analysis += f" Over other topics tau could be {at_least:g}: its interval includes it."
        scale = data.choose_assessments(scales).scale
        return Evidence(lowest >= at_least, figures, analysis.strip(), scale)

    names = join_words([" and ".join(measures) for measures in pairs.values()])
    words = f"Kendall's tau of the rankings of runs is at least {at_least:g}: {names}"
    return Criterion(words, f"runs, {name_scales(scales)}", decide)


def _describe_moves(study: MeasureAgreement) -> str:
    """Describe the two runs that change rank most between two rankings."""
    first, second = study.rankings["ranking"].unique(maintain_order=True).to_list()
    ranks = study.rankings.pivot("ranking", index="run", values="rank", maintain_order=True).drop_nulls()
    moved_runs = ranks.filter(pl.col(first) != pl.col(second)).sort(
        (pl.col(first) - pl.col(second)).abs(), descending=True, maintain_order=True
    )
    if not moved_runs.height:
        return ""
    moves = [
        f"{run} is at rank {rank} and {other_rank}"
        for run, rank, other_rank in moved_runs.head(2).iter_rows()
    ]
    return f"By {first} and {second}, {'; '.join(moves)}."


def compare_all_rankings(measures: Sequence[str], *, at_least: float, scales: Sequence[str]) -> Criterion:
    """Require that more than half of the pairs of measures rank the runs alike."""

    def decide(data: ClaimData) -> Evidence:
        study = data.compare_measures(measures, scales)
        names = study.rankings["ranking"].unique(maintain_order=True).to_list()
        taus = {(row["ranking"], row["other"]): row["tau"] for row in study.pairs.iter_rows(named=True)}
        pairs = {pair: taus[pair] for pair in combinations(names, 2) if np.isfinite(taus[pair])}
        if not pairs:
            raise InputError("tau", wanted="runs with different scores", found="runs with equal scores")
        alike = sum(tau >= at_least for tau in pairs.values())
        worst = min(pairs, key=lambda pair: pairs[pair])
        figures = {"pairs": len(pairs), "alike": alike, "lowest tau": pairs[worst]}
        analysis = f"{worst[0]} and {worst[1]} agree least: tau {pairs[worst]:.2f}."
        return Evidence(2 * alike > len(pairs), figures, analysis, data.choose_assessments(scales).scale)

    names = join_words(measures, most=len(measures))
    words = f"Kendall's tau is at least {at_least:g} for more than half of the pairs of {names}"
    return Criterion(words, f"runs, {name_scales(scales)}", decide)


def compare_settings(
    measure: str,
    a: str,
    b: str,
    test: Callable[[Mapping[str, float]], bool],
    words: str,
    *,
    scales: Sequence[str] = ANY_SCALE,
    tests: bool = False,
    needs: str = "runs",
    require: Callable[[ClaimData], object] = id,
) -> Criterion:
    """Apply ``test`` to the figures of two settings.

    With ``tests`` there must be enough topics for significant differences; ``require`` checks further needs.
    """

    def decide(data: ClaimData) -> Evidence:
        require(data)
        study = data.compare_settings(measure, a, b, scales)
        figures = list_setting_figures(study)
        if tests:
            _require_power(figures)
        else:
            require_tau(figures["tau"])
        main_figures = {name: figures[name] for name in (_DECISIONS if tests else _RANKING)}
        scale = data.choose_assessments(scales).scale
        return Evidence(test(figures), main_figures, " ".join(study.findings), scale)

    settings = f"{measure}, {a or 'as it is'} against {b}"
    return Criterion(f"{words} ({settings})", f"{needs}, {name_scales(scales)}", decide)


def require_agreement(
    measure: str, a: str, b: str, at_least: float, *, scales: Sequence[str], tests: bool = False
) -> Criterion:
    """Require that two settings rank the runs alike, or with ``tests`` lead to the same decisions."""
    figure = "same decisions" if tests else "tau"
    words = "the tests agree on {} of the pairs of runs" if tests else "tau of the rankings is {}"
    return compare_settings(
        measure,
        a,
        b,
        lambda figures: figures[figure] >= at_least,
        words.format(f"at least {at_least:g}"),
        scales=scales,
        tests=tests,
    )


def list_setting_figures(study: SettingsStudy) -> dict[str, float]:
    """Return the figures of a settings study of one measure."""
    if not study.agreement.height:
        raise InputError("two settings", wanted="scores under both", found="scores under one of them")
    ranking = study.agreement.row(0, named=True)
    pairs = study.conclusions.row(0, named=True)
    same = pairs["both"] - pairs["opposite"] + pairs["neither"]
    better = study.runs.filter(pl.col("difference") > CLOSE_TO_EQUAL)
    return {
        **{name: ranking[name] for name in _RANKING},
        "pairs": pairs["pairs"],
        "same decisions": same / pairs["pairs"] if pairs["pairs"] else float("nan"),
        "significant under A": pairs["both"] + pairs["only_a"],
        "significant under B": pairs["both"] + pairs["only_b"],
        "better under B": better.height,
        "significantly better under B": better.filter(pl.col("p_adjusted") < SURE).height,
    }


def _require_power(figures: Mapping[str, float]) -> None:
    """Require enough topics for a significant difference after Holm's correction."""
    topics, pairs = int(figures["topics"]), int(figures["pairs"])
    enough = 1 + int(np.ceil(np.log2(max(pairs, 1) / SURE)))
    if topics < enough:
        raise InputError(
            "tests of significance",
            wanted=f"at least {enough} topics for {pluralise(pairs, 'pair')} of runs",
            found=pluralise(topics, "topic"),
        )


def compare_with_xcg(isolation: str) -> Criterion:
    """Require that SRP and XCG order at least one pair of runs differently over all topics."""

    def decide(data: ClaimData) -> Evidence:
        study_data = data.choose_runs(ANY_SCALE)
        measures = [f"SRP(isolation={isolation})@10", "nxCG(task=thorough)@10"]
        keywords = {**data.keywords, "collection": data.collection}
        study = data.remember(
            ("structural", isolation),
            lambda: study_structural_relevance(study_data.runs, study_data.assessments, measures, **keywords),
        )
        figures = {
            "tau": require_tau(study.tau),
            "tau_ap": study.tau_ap,
            "moved": study.runs.filter(pl.col("rank_one") != pl.col("rank_other")).height,
            "runs": study.runs.height,
            "topics": study.topics.height,
            "topics that differ": study.topics.filter(pl.col("tau") < 1).height,
            "greatest overlap": float(study.runs["overlap"].to_numpy().max()),
            "greatest difference": float((study.runs["other"] - study.runs["one"]).to_numpy().max()),
        }
        analysis = " ".join([*study.findings[1:], _compare_losses(study.runs)])
        return Evidence(study.tau < 1, figures, analysis, study_data.assessments.scale)

    words = (
        "at least one pair of runs is ordered differently over all topics by "
        f"SRP(isolation={isolation})@10 and nxCG(task=thorough)@10: tau is below 1"
    )
    return Criterion(words, f"runs, a collection, {name_scales(ANY_SCALE)}", decide)


def _compare_losses(runs: pl.DataFrame) -> str:
    """Compare the smallest gap between neighbouring runs by XCG with the losses of runs by SRP."""
    gaps = np.diff(np.sort(runs["other"].to_numpy()))
    losses = (runs["other"] - runs["one"]).to_numpy()
    return (
        f"SRP is lower than XCG by {losses.min():.3f} to {losses.max():.3f}; "
        f"neighbouring runs are {gaps.min():.3f} to {gaps.max():.3f} apart by XCG."
        if len(gaps)
        else ""
    )


@state_criterion(
    f"tau of the rankings by {_THOROUGH} is below 0.9 between strict and vague targets, and at least "
    "0.9 between strict and vague support",
    "runs, any assessments, a collection, topics with structure",
)
def decide_target_and_support(data: ClaimData) -> Evidence:
    """Compare the interpretations of structure: target strict or vague, support strict or vague."""
    data.require_structure()
    pairs = {
        "target": ("VVCAS", "SVCAS"),
        "support, target vague": ("VVCAS", "VSCAS"),
        "support, target strict": ("SVCAS", "SSCAS"),
    }
    figures, analysis = {}, []
    for label, (a, b) in pairs.items():
        study = data.compare_settings(_THOROUGH, f"structure={a}", f"structure={b}", ANY_SCALE)
        figures[f"tau {label}"] = require_tau(list_setting_figures(study)["tau"])
        analysis.append(f"{a} against {b}, {study.findings[0]}")
    target, *support = figures.values()
    holds = target < EQUIVALENT and min(support) >= EQUIVALENT
    effect = "less than" if min(support) > target else "at least as much as"
    analysis.insert(0, f"Support changes the ranking {effect} the target.")
    return Evidence(holds, figures, " ".join(analysis), data.choose_assessments(ANY_SCALE).scale)


@state_criterion(
    "tau of the rankings by inex_eval with all grades and with one fewer is at least 0.9",
    "runs, 2003-04 grades or 2005 grades",
)
def decide_fewer_grades(data: ClaimData) -> Evidence:
    """Compare the rankings of runs with all grades of exhaustivity and with one fewer."""
    scales = ("2003", "2005")
    scale = data.choose_assessments(scales).scale
    study = data.compare_settings("inex_eval", "", "grades=2" if scale == "2003" else "grades=1", (scale,))
    figures = list_setting_figures(study)
    main_figures = {name: figures[name] for name in _RANKING}
    return Evidence(require_tau(figures["tau"]) >= EQUIVALENT, main_figures, " ".join(study.findings), scale)


@state_criterion(
    "tau of SRP@10 with nxCG@10 is higher without the ideal base (Thorough) than with it (Focused)",
    "runs, a collection, any assessments",
)
def decide_heuristics(data: ClaimData) -> Evidence:
    """Compare SRP with XCG against the full base, which needs no heuristics, and the ideal base."""
    measures = ["SRP@10", "nxCG(task=thorough)@10", "nxCG(task=focused)@10"]
    study = data.compare_measures(measures, ANY_SCALE)
    names = study.rankings["ranking"].unique(maintain_order=True).to_list()
    taus = {
        other: require_tau(study.pairs.filter(pl.col("ranking") == names[0], other=other)["tau"].item())
        for other in names[1:]
    }
    figures = dict(zip(("tau without ideal base", "tau with ideal base"), taus.values(), strict=True))
    gap = figures["tau without ideal base"] - figures["tau with ideal base"]
    analysis = f"With the ideal base tau is {abs(gap):.2f} {'lower' if gap > 0 else 'higher'}."
    return Evidence(gap > 0, figures, analysis, data.choose_assessments(ANY_SCALE).scale)


def _study_bases(data: ClaimData) -> tuple[dict[str, float], str, str]:
    study_data = data.choose_runs(ANY_SCALE)
    options = {**data.keywords, "collection": data.collection, "resamples": data.resamples}
    study = data.remember(
        "ideal base",
        lambda: study_ideal_base(study_data.runs, study_data.assessments, seed=data.seed, **options),
    )
    part = study.agreement.filter(pl.col("tau").is_finite())
    if not part.height:
        raise InputError("tau", wanted="runs with different scores", found="runs with equal scores")
    lowest: Any = part["tau"].min()
    different: Any = part["different"].max()
    largest: Any = part["largest"].max()
    figures = {
        "lowest tau": lowest,
        "bases": part.height,
        "bases that move runs": part.filter(pl.col("moved") > 0).height,
        "most runs with significant differences": different,
        "largest difference of a mean": largest,
    }
    return figures, " ".join(study.findings), study_data.assessments.scale


@state_criterion(
    "the scores of at least one run differ significantly from those with the official base, for at "
    "least one of seven others",
    "runs, a collection, any assessments",
)
def decide_base_changes_scores(data: ClaimData) -> Evidence:
    """Require that another construction of the ideal base changes a run's scores significantly."""
    figures, analysis, scale = _study_bases(data)
    return Evidence(figures["most runs with significant differences"] > 0, figures, analysis, scale)


@state_criterion(
    "tau with the official base is below 0.8 for at least one of seven others",
    "runs, a collection, any assessments",
)
def decide_base_changes_rankings(data: ClaimData) -> Evidence:
    """Require that another construction of the ideal base changes the ranking of runs noticeably."""
    figures, analysis, scale = _study_bases(data)
    return Evidence(figures["lowest tau"] < SIMILAR, figures, analysis, scale)
