"""Claims: which findings of the five sources can be reproduced on the given data.

Every claim of the table is tested.  It is reproduced if its criterion is met, not reproduced if it is not,
and cannot be asked of data that lack something that it needs.  Neither outcome judges the paper: its runs,
topics and documents were others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import polars as pl

from doxel.assessments import Assessments
from doxel.checks.score_warnings import ScoreWarning
from doxel.documents import Collection
from doxel.documents.collection import as_collection
from doxel.errors import DoxelError, InputError
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.evaluation.inputs.input_tables import RunSource, as_assessments, as_runs, read_source
from doxel.measures import Measure
from doxel.runs import Run, read_run
from doxel.studies.claims.claim_data import ClaimData, Evidence
from doxel.studies.claims.claim_table import CLAIMS, Claim
from doxel.studies.simulation import generate_grades
from doxel.studies.study_declaration import Panel, StudyResult
from doxel.wording import did_you_mean, join_words, pluralise

__all__ = ["OUTCOMES", "ClaimsStudy", "study_claims"]

OUTCOMES = ("reproduced", "not reproduced", "cannot be asked")
_REPRODUCED, _NOT_REPRODUCED, _NOT_ASKED = OUTCOMES

_CLAIMS = dict.fromkeys(
    (
        "claim",
        "source",
        "sentence",
        "outcome",
        "figures",
        "analysis",
        "missing",
        "scale",
        "needs",
        "criterion",
    ),
    pl.String,
)
_NOTES = {"claim": pl.String, "warning": pl.String}
_FIGURES = {"claim": pl.String, "figure": pl.String, "value": pl.Float64}


@dataclass(frozen=True, kw_only=True)
class ClaimsStudy(StudyResult):
    """The outcome of every claim.

    ``claims`` has one row per claim: claim, source, sentence, outcome ("reproduced", "not reproduced" or
    "cannot be asked"), figures (as text), analysis (of a claim that is not reproduced), missing (the reason
    why a claim cannot be asked), scale (of the assessments), needs, criterion.  ``figures`` has one row per
    claim and figure: claim, figure, value.  ``notes`` has the warnings of all evaluations, with the claim
    that met each first: claim, warning.
    """

    claims: pl.DataFrame
    figures: pl.DataFrame
    notes: pl.DataFrame

    @cached_property
    def counts(self) -> pl.DataFrame:
        """The number of claims by source and outcome: source, then one column per outcome."""
        by_source = self.claims.with_columns(
            pl.format("source {}", pl.col("claim").str.head(3)).alias("source")
        )
        return by_source.group_by("source", maintain_order=True).agg(
            pl.col("outcome").filter(pl.col("outcome") == outcome).len().cast(pl.Int64).alias(outcome)
            for outcome in OUTCOMES
        )

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """The claims, their criteria, figures and counts."""
        outcomes = self.claims.select("claim", "sentence", "outcome", "figures")
        criteria = self.claims.select("claim", "source", "criterion", "needs", "scale")
        return (
            Panel("claims", "The claims and their outcomes", self.claims, outcomes),
            Panel("counts", "Claims by source", self.counts),
            Panel("criteria", "The criteria, stated before any data were seen", criteria),
            Panel("figures", "All figures", self.figures, self.figures.clear()),
            Panel("warnings", "Warnings of the evaluations", self.notes, self.notes.clear()),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The number of claims by outcome, then those not reproduced and those that cannot be asked."""
        totals = [self._filter_outcome(outcome).height for outcome in OUTCOMES]
        summary = (
            f"Of {self.claims.height} claims, {totals[0]} are reproduced, {totals[1]} are not, and "
            f"{totals[2]} cannot be asked of these data."
        )
        sentences = [summary]
        sentences += [
            " ".join(
                [
                    f"Not reproduced: {row['claim']}.",
                    row["sentence"],
                    f"Criterion: {row['criterion']}.",
                    row["analysis"],
                ]
            ).strip()
            for row in self._filter_outcome(_NOT_REPRODUCED).iter_rows(named=True)
        ]
        sentences += [
            f"Cannot be asked: {row['claim']}. {row['missing'].rstrip('.')}."
            for row in self._filter_outcome(_NOT_ASKED).iter_rows(named=True)
        ]
        return tuple(sentences)

    def _filter_outcome(self, outcome: str) -> pl.DataFrame:
        return self.claims.filter(pl.col("outcome") == outcome)


def study_claims(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    claims: Sequence[str] = (),
    simulate_grades: int = 0,
    resamples: int = 1000,
    seed: int = 0,
    **scoring: Any,
) -> ClaimsStudy:
    """Test on any data which claims of the five sources are reproduced.

    Parameters
    ----------
    runs
        Any runs; without any, simulated systems take their place where there is a collection.
    assessments
        One or several files or objects.  Files of different scales serve different claims.
    measures
        None: each claim names its measures.
    claims
        The claims to ask, by name or by the beginning of names ("004").  Default: all.
    simulate_grades
        Number of topics to grade at random on the scale of 2002.

    Examples
    --------
    >>> gold = [("1", "a", 0, 10), ("2", "a", 50, 60)]
    >>> study = study_claims({"one": [("1", "a", 0, 5)]}, gold, claims=["004-MAep"])
    >>> study.findings[1]
    'Cannot be asked: 004-MAep-iMAep. runs: wanted at least 3, found 1.'
    """
    if measures:
        raise InputError(
            "a study of claims", wanted="no measures (-m), as each claim names its own", found="some"
        )
    check_resampling(resamples=resamples, seed=seed)
    selected = _select_claims(claims)
    documents = as_collection(collection)
    judged = _load_assessments(assessments, documents)
    if simulate_grades:
        if documents is None:
            raise InputError("simulated grades", wanted="a collection (-c)", found="none")
        judged["2002"] = generate_grades(documents, topics=simulate_grades, seed=seed)
    sources = _read_runs(runs, documents, fol_end=scoring.pop("fol_end", False))
    keywords = {name: value for name, value in scoring.items() if name not in {"progress", "on_error"}}
    data = ClaimData(sources, judged, documents, keywords, resamples, seed)
    outcomes: list[tuple[Claim, Evidence | None, str]] = []
    notes: list[dict[str, str]] = []
    for claim in selected:
        outcomes.append(_ask_claim(claim, data))
        notes += [
            {"claim": claim.name, "warning": str(warning)} for warning in list(data.warnings)[len(notes) :]
        ]
    rows = [
        {"claim": claim.name, "figure": name, "value": float(value)}
        for claim, evidence, _ in outcomes
        if evidence is not None
        for name, value in evidence.figures.items()
    ]
    return ClaimsStudy(
        claims=pl.DataFrame([_describe_outcome(*outcome) for outcome in outcomes], schema=_CLAIMS),
        figures=pl.DataFrame(rows, schema=_FIGURES),
        notes=pl.DataFrame(notes, schema=_NOTES),
        warnings=_summarise_warnings(len(notes)),
        rejected=tuple(data.rejected),
        parameters={
            "resamples": resamples,
            "seed": seed,
            **({} if sources else {"runs": "simulated systems"}),
            **({"simulated topics": simulate_grades} if simulate_grades else {}),
        },
    )


def _select_claims(names: Sequence[str]) -> list[Claim]:
    """Return the claims whose names begin with one of the given names."""
    for name in names:
        if not any(claim.name.startswith(name) for claim in CLAIMS):
            claim_names = [claim.name for claim in CLAIMS]
            raise InputError(
                "a claim",
                wanted=f"one of {join_words(claim_names, most=len(claim_names))}, or the beginning of a name",
                found=f"{name!r}{did_you_mean(name, claim_names)}",
            )
    return [claim for claim in CLAIMS if not names or claim.name.startswith(tuple(names))]


def _read_runs(runs: Any, documents: Collection | None, *, fol_end: bool) -> tuple[RunSource, ...]:
    """Read all runs once, because many claims use them; the evaluation reports those that cannot be read."""
    # an empty list would be an empty table of results, which is a run
    if runs is None or (isinstance(runs, list | tuple) and not runs):
        return ()
    return tuple(
        _read_if_possible(source, partial(read_run, fol_end=fol_end)) for source in as_runs(runs, documents)
    )


def _read_if_possible(source: RunSource, read: Callable[[str | os.PathLike[str]], Run]) -> RunSource:
    try:
        return read_source(source, read)
    except DoxelError:
        return source


def _load_assessments(source: Any, documents: Collection | None) -> dict[str, Assessments]:
    """Return assessments by scale; several sources of one scale are read together."""
    if source is None:
        return {}
    parts = list(source) if isinstance(source, list | tuple) and _are_sources(source) else [source]
    by_scale: dict[str, list[Any]] = {}
    read = {number: as_assessments(part, documents) for number, part in enumerate(parts)}
    for number, judged in read.items():
        by_scale.setdefault(judged.scale, []).append(number)
    return {
        scale: read[numbers[0]]
        if len(numbers) == 1
        else as_assessments([parts[number] for number in numbers], documents)
        for scale, numbers in by_scale.items()
    }


def _are_sources(items: Sequence[Any]) -> bool:
    """Return whether items are files or objects, not the rows of a table."""
    return not any(isinstance(item, Mapping | tuple | list) for item in items)


def _ask_claim(claim: Claim, data: ClaimData) -> tuple[Claim, Evidence | None, str]:
    """Return a claim with its evidence, or with the reason why it cannot be asked."""
    try:
        return claim, claim.criterion.decide(data), ""
    except DoxelError as error:
        return claim, None, str(error)


def _summarise_warnings(count: int) -> tuple[ScoreWarning, ...]:
    if not count:
        return ()
    warnings = pluralise(count, "warning concerns", "warnings concern")
    sentence = f"{warnings} the scores behind the claims; the table 'warnings' lists them"
    return (ScoreWarning(sentence, "S115"),)


def _describe_outcome(claim: Claim, evidence: Evidence | None, missing: str) -> dict[str, str]:
    outcome = _NOT_ASKED if evidence is None else _REPRODUCED if evidence.holds else _NOT_REPRODUCED
    figures = {} if evidence is None else evidence.figures
    return {
        "claim": claim.name,
        "source": claim.source,
        "sentence": claim.sentence,
        "outcome": outcome,
        "figures": "; ".join(f"{name}: {_format_figure(value)}" for name, value in figures.items()),
        "analysis": evidence.analysis if evidence is not None and not evidence.holds else "",
        "missing": missing,
        "scale": "" if evidence is None else evidence.scale,
        "needs": claim.criterion.needs,
        "criterion": claim.criterion.words,
    }


def _format_figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"
