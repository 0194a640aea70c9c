"""The official figures of ArchEHR-QA, in per cent: evidence (2025, 2026) and alignment (2026).

Evidence compares sets of sentences, per case.  ``strict``: the essential sentences are the gold.
``lenient``: in 2026, predicted supplementary sentences are removed first, and the gold stays the same; in
2025, essential and supplementary sentences are the gold.  ``micro`` pools the counts of all cases, ``macro``
averages over cases; the overall score is strict_micro_f1.  If nothing is predicted and nothing is gold, a
case scores 1 in 2026 and 0 in 2025.

Alignment is the same on pairs of answer sentence and evidence, where an empty case scores 0.

As in the programs, a case that is missing or not in the key is an error; in 2026, so is an unknown id.

References: scoring_subtask_2.py and scoring_subtask_4.py of archehr-qa-2026, the citation part of scoring.py
of 2025; checked against their output.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxel.assessments.assessments import Assessments
from doxel.errors import InputError
from doxel.evaluation.compat.campaigns.scorer_declaration import (
    CampaignScorer,
    CampaignScores,
    refuse_format,
)
from doxel.files.json_records import load_records
from doxel.runs.campaigns.archehr_submissions import ARCHEHR_SUBMISSIONS, list_citations
from doxel.runs.run import Run
from doxel.wording import join_words, quote_value

__all__ = ["ARCHEHR", "score_sets"]

_VALUES = ("precision", "recall", "f1")
_EVIDENCE = tuple(
    f"{rule}_{average}_{value}"
    for rule in ("strict", "lenient")
    for average in ("macro", "micro")
    for value in _VALUES
)
_ALIGNMENT = tuple(f"{average}_{value}" for average in ("micro", "macro") for value in _VALUES)
Pair = tuple[AbstractSet[Any], AbstractSet[Any]]
"""What a case predicts, and its gold."""


def _add_up(values: Sequence[float]) -> float:
    """Return the mean, added up from the first value to the last."""
    return sum(values) / len(values)


def _combine(precision: float, recall: float) -> tuple[float, float, float]:
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return precision, recall, f1


def _score_counts(hits: int, predicted: int, gold: int, *, empty: float) -> tuple[float, float, float]:
    """Return precision, recall and F1 of counts; ``empty`` if nothing is predicted and nothing is gold."""
    if not predicted and not gold:
        return empty, empty, empty
    return _combine(hits / predicted if predicted else 0.0, hits / gold if gold else 0.0)


def score_sets(
    pairs: Sequence[Pair], *, empty: float, mean: Callable[[Sequence[float]], float]
) -> dict[str, float]:
    """Return precision, recall and F1 in per cent, pooled over cases (micro) and averaged (macro).

    ``mean`` adds up as the program does: the last digit can depend on the order.
    """
    counts = [(len(predicted & gold), len(predicted), len(gold)) for predicted, gold in pairs]
    cases = [_score_counts(*case, empty=empty) for case in counts]
    hits, predicted, gold = (sum(column) for column in zip(*counts, strict=True))
    micro = _score_counts(hits, predicted, gold, empty=empty)
    scores = {f"micro_{value}": number * 100 for value, number in zip(_VALUES, micro, strict=True)}
    for value, column in zip(_VALUES, zip(*cases, strict=True), strict=True):
        scores[f"macro_{value}"] = float(mean(column)) * 100
    return scores


@dataclass(frozen=True)
class _Key:
    """The key of one case: sentences by relevance, and gold pairs of answer sentence and evidence."""

    essential: frozenset[str]
    supplementary: frozenset[str]
    sentences: frozenset[str]
    alignments: frozenset[tuple[str, str]] | None
    answers: frozenset[str]

    @classmethod
    def of(cls, case: dict[str, Any]) -> _Key:
        """Return the key of a case from its object in the file."""
        relevances = {answer["sentence_id"]: answer["relevance"] for answer in case["answers"]}
        sentences = case.get("clinician_answer_sentences")
        pairs = [(item["id"], citation) for item in sentences or [] for citation in item["citations"]]
        return cls(
            frozenset(name for name, relevance in relevances.items() if relevance == "essential"),
            frozenset(name for name, relevance in relevances.items() if relevance == "supplementary"),
            frozenset(relevances),
            None if sentences is None else frozenset(pairs),
            frozenset(item["id"] for item in sentences or []),
        )


def _pair_evidence(case: dict[str, Any], key: _Key, rule: str, year: str) -> Pair:
    predicted = frozenset(_list_evidence(case, year))
    if rule == "strict":
        return predicted, key.essential
    if year == "archehr2025":
        return predicted, key.essential | key.supplementary
    return predicted - key.supplementary, key.essential


def _list_evidence(case: dict[str, Any], year: str) -> list[str]:
    if year == "archehr2025":
        return list_citations(case["answer"])
    return list(case["prediction"])


def _pair_alignments(case: dict[str, Any], key: _Key) -> Pair:
    pairs = [(item["answer_id"], name) for item in case["prediction"] for name in item["evidence_id"]]
    return frozenset(pairs), key.alignments or frozenset()


def _score_cases(cases: Sequence[dict[str, Any]], keys: dict[str, _Key], name: str) -> dict[str, float]:
    if name == "archehr2026-align":
        pairs = [_pair_alignments(case, keys[case["case_id"]]) for case in cases]
        scores = score_sets(pairs, empty=0.0, mean=np.mean)
        return {**scores, "overall_score": scores["micro_f1"]}
    scores = {}
    for rule in ("strict", "lenient"):
        pairs = [_pair_evidence(case, keys[case["case_id"]], rule, name) for case in cases]
        is_2025 = name == "archehr2025"
        figures = score_sets(pairs, empty=0.0 if is_2025 else 1.0, mean=_add_up if is_2025 else np.mean)
        scores |= {f"{rule}_{figure}": value for figure, value in figures.items()}
    return {**scores, "overall_score": scores["strict_micro_f1"]}


def _sort_ids(ids: Iterable[str]) -> list[str]:
    """Return ids in the order of their numbers."""
    return sorted(ids, key=lambda name: (len(name), name))


def _check_case(run: Run, case: dict[str, Any], key: _Key, name: str) -> None:
    """Raise an error for a case of another shape, and for an id that the key does not have."""
    topic = case["case_id"]
    lines = run.results.filter(run.results["topic"] == topic)["line"]
    place: dict[str, Any] = {"file": run.file, "line": lines[0] if len(lines) else None}
    if name == "archehr2025":
        if not isinstance(case.get("answer"), str):
            raise InputError(f"case {topic}", **place, wanted="an answer with citations (2025)", found="none")
        if not list_citations(case["answer"]):
            raise InputError(f"case {topic}", **place, wanted="citations such as |2,3|", found="none")
        return
    is_align = name == "archehr2026-align"
    prediction = case.get("prediction")
    if not isinstance(prediction, list) or any(isinstance(item, dict) != is_align for item in prediction):
        shape = "a list of objects with answer_id and evidence_id" if is_align else "a list of sentence ids"
        raise InputError(
            f"case {topic}: the prediction", **place, wanted=shape, found=quote_value(prediction)
        )
    if is_align and key.alignments is None:
        raise InputError(f"case {topic}", wanted="a key with clinician_answer_sentences", found="none")
    checked = [] if is_align else [("sentence", item, key.sentences) for item in prediction]
    for item in prediction if is_align else ():
        checked.append(("answer sentence", item["answer_id"], key.answers))
        checked += [("sentence", evidence, key.sentences) for evidence in item["evidence_id"]]
    for label, value, known_ids in checked:
        if value not in known_ids:
            wanted = f"one of {join_words(_sort_ids(known_ids), 12)}"
            raise InputError(f"case {topic}: {label} id", **place, wanted=wanted, found=quote_value(value))


def _score_run(run: Run, assessments: Assessments, name: str) -> CampaignScores:
    if assessments.format != "archehr":
        raise refuse_format("archehr", assessments, "a key of ArchEHR-QA")
    keys = {case["case_id"]: _Key.of(case) for case in load_records(assessments.about["archehr"])}
    if run.format == "archehr" and run.about.get("archehr"):
        cases = load_records(run.about["archehr"])
    else:
        cases = json.loads(ARCHEHR_SUBMISSIONS.write(run))
    case_ids = {case["case_id"] for case in cases}
    for odd_ids, wanted in (
        (keys.keys() - case_ids, "every case of the key"),
        (case_ids - keys.keys(), "no others"),
    ):
        if odd_ids:
            verb = "lacks" if wanted.startswith("every") else "adds"
            found = f"a run that {verb} {join_words(_sort_ids(odd_ids), 8)}"
            raise InputError("the cases of the run", file=run.file, wanted=wanted, found=found)
    for case in cases:
        _check_case(run, case, keys[case["case_id"]], name)
    topics = {case["case_id"]: _score_cases([case], keys, name) for case in cases}
    return CampaignScores(topics, _score_cases(cases, keys, name))


ARCHEHR = CampaignScorer(
    name="archehr",
    about="the scoring programs of ArchEHR-QA 2025 and 2026",
    sets={
        "archehr2025": _EVIDENCE,
        "archehr2026-align": (*_ALIGNMENT, "overall_score"),
        "archehr2026": (*_EVIDENCE, "overall_score"),
    },
    score=_score_run,
    lacking="an error",
)
