"""The figures of BioASQ's public scorer for documents and snippets (task b, phase A), digit for digit.

Editions: 2 for 2013-14, 3 for 2015-16, 5 for 2017-19, 8 for 2020, 9 since.  They differ in what divides the
average precision, and in the questions that count.

Before anything is counted, snippets of one document and section that share a character are merged.

Reference: BioASQ/Evaluation-Measures, commit 8c8e689 (2022-04-26), checked against its output.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from doxel.assessments.assessments import Assessments
from doxel.assessments.campaigns.bioasq_gold import BIOASQ_GOLD
from doxel.evaluation.compat.campaigns.scorer_declaration import CampaignScorer, CampaignScores
from doxel.files.json_records import load_records
from doxel.runs.campaigns.bioasq_answers import BIOASQ_ANSWERS
from doxel.runs.run import Run

__all__ = ["BIOASQ", "Snippet", "score_questions"]

_EPSILON = 0.00001
_NAMES = ("P", "R", "F1", "AP", "GMAP")
_FIGURES = (*(f"doc_{name}" for name in _NAMES), *(f"snip_{name}" for name in _NAMES))
_OLD_ABSTRACT = "0"  # what is left of the name of a section such as sections.0


@dataclass(frozen=True)
class Snippet:
    """A snippet as the program sees it: both offsets inclusive, names of sections cut at their first dot."""

    document: str
    begin: str
    end: str
    first: int
    last: int

    @property
    def size(self) -> int:
        """Its characters, one more than its text has."""
        return self.last - self.first + 1

    def overlap(self, gold: Snippet) -> int:
        """Return the characters shared with a gold snippet if the sections fit, whatever the documents.

        The number is negative if the end of one has a smaller offset than its begin, in another section.
        """
        fits = (self.begin, self.end) == (gold.begin, gold.end) or (
            self.begin == _OLD_ABSTRACT and gold.begin == "abstract"
        )
        if not fits or not _share_offsets(self, gold):
            return 0
        return (
            min(self.last, gold.last) - max(self.first, gold.first) + 1
        )  # below 0 for an end before a begin


def _parse_snippets(question: dict[str, Any]) -> list[Snippet]:
    return [
        Snippet(
            document=str(snippet["document"]),
            begin=_cut_section(snippet["beginSection"]),
            end=_cut_section(snippet.get("endSection") or ""),
            first=int(snippet["offsetInBeginSection"]),
            last=int(snippet["offsetInEndSection"]),
        )
        for snippet in question.get("snippets") or []
    ]


def _cut_section(name: str) -> str:
    return name[name.find(".") + 1 :]


def _merge(snippets: Sequence[Snippet]) -> list[Snippet]:
    """Merge snippets of one document and section that share a character, into the place of the earliest."""
    waiting, merged = list(snippets), []
    while waiting:
        snippet = waiting.pop(0)
        place = 0
        while place < len(waiting):
            if _share_text(snippet, waiting[place]):
                other = waiting.pop(place)
                first, last = min(snippet.first, other.first), max(snippet.last, other.last)
                snippet = replace(snippet, first=first, last=last)
                place = 0  # snippets that were passed over may touch the merged one
            else:
                place += 1
        merged.append(snippet)
    return merged


def _share_text(snippet: Snippet, other: Snippet) -> bool:
    is_same_place = (snippet.document, snippet.begin, snippet.end) == (other.document, other.begin, other.end)
    return is_same_place and _share_offsets(snippet, other)


def _share_offsets(snippet: Snippet, other: Snippet) -> bool:
    return snippet.first <= other.last and other.first <= snippet.last


def _divide(numerator: float, denominator: float) -> float:
    """Divide as Java does: 0/0 is not a number, and neither is NaN/0."""
    if denominator:
        return numerator / denominator
    return numerator * math.inf


def _compute_logarithm(number: float) -> float:
    """Return the logarithm as Java does: that of a negative number is not a number."""
    return math.log(number) if number > 0 else math.nan


def _find_divisor(edition: int, gold: int) -> float:
    return {2: gold, 3: 10, 5: 10}.get(edition, min(10, gold))


def _score_documents(gold: Sequence[str], answers: Sequence[str], edition: int) -> tuple[float, ...]:
    """Return precision, recall, F1 and average precision of documents, by their whole address."""
    relevant = set(gold)
    if not answers:
        return 0.0, 0.0, 0.0, 0.0
    hits = sum(document in relevant for document in answers)
    precision = hits / len(answers)
    recall = hits / len(gold) if gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    total, hits_so_far = 0.0, 0
    for rank, document in enumerate(answers, 1):
        if document in relevant:
            hits_so_far += 1
            total += hits_so_far / rank
    return precision, recall, f1, total / _find_divisor(edition, len(gold)) if hits else 0.0


def _score_snippets(gold: Sequence[Snippet], answers: Sequence[Snippet], edition: int) -> tuple[float, ...]:
    """Return precision, recall, F1 and average precision of snippets.

    The first three compare documents by the last part of their address, the last one by the whole.
    """
    shared = sum(
        answer.overlap(snippet)
        for answer in answers
        for snippet in gold
        if _get_last_part(answer.document) == _get_last_part(snippet.document)
    )
    size, gold_size = sum(answer.size for answer in answers), sum(snippet.size for snippet in gold)
    precision = shared / size if answers and size else 0.0
    recall = shared / gold_size if answers and gold_size else 0.0
    f1 = _divide(2 * precision * recall, precision + recall) if precision or recall else 0.0
    documents = {snippet.document for snippet in gold}
    total, overlap, read = 0.0, 0, 0
    for answer in answers:
        read += answer.size
        overlap += sum(answer.overlap(snippet) for snippet in gold if snippet.document == answer.document)
        total += _divide(overlap, read) * (answer.document in documents)  # no overlap is required
    return precision, recall, f1, _divide(total, _find_divisor(edition, len(gold)))


def _get_last_part(document: str) -> str:
    return document.rstrip("/").rpartition("/")[2]


def _summarise(scores: Sequence[tuple[float, ...]], kind: str) -> dict[str, float]:
    """Return the means of a kind over the questions that count, or the program's values if none counts."""
    count = len(scores)
    means = {}
    for name, values in zip(_NAMES[:4], zip(*scores, strict=True) if scores else [()] * 4, strict=True):
        total = 0.0
        for value in values:
            total += 0.0 if math.isnan(value) else value
        # without any question the program prints 0 for these two, and NaN for the others
        empty = 0.0 if kind == "doc" and name in {"P", "R"} else math.nan
        means[f"{kind}_{name}"] = total / count if count else empty
    logarithms = 0.0
    for *_, ap in scores:
        if not math.isnan(ap):
            logarithms += _compute_logarithm(ap + _EPSILON)
        elif kind == "doc":
            logarithms += math.log(_EPSILON)
    if kind == "snip" and (logarithms == 0 or math.isnan(logarithms)):
        means["snip_GMAP"] = 0.0
    else:
        means[f"{kind}_GMAP"] = math.exp(logarithms / count) if count else math.nan
    return means


def score_questions(
    gold: Iterable[dict[str, Any]], answers: Iterable[dict[str, Any]], edition: int
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return the figures of each gold question and over all of them.

    A question's own figures are what the program prints for gold with that question alone.
    """
    by_id: dict[str, dict[str, Any]] = {}
    for question in answers:
        by_id.setdefault(str(question["id"]), question)
    all_scores: dict[str, list[tuple[float, ...]]] = {"doc": [], "snip": []}
    topics: dict[str, dict[str, float]] = {}
    for question in gold:
        answer = by_id.get(str(question["id"]))
        question_scores = {
            kind: [] if answer is None else _score(kind, question, answer, edition) for kind in all_scores
        }
        topics[str(question["id"])] = {
            name: value
            for kind, scores in question_scores.items()
            for name, value in _summarise(scores, kind).items()
        }
        for kind, scores in question_scores.items():
            all_scores[kind] += scores
    overall = {
        name: value for kind, scores in all_scores.items() for name, value in _summarise(scores, kind).items()
    }
    return topics, overall


def _score(
    kind: str, question: dict[str, Any], answer: dict[str, Any], edition: int
) -> list[tuple[float, ...]]:
    """Return the figures of one question, or none if it does not count for the kind."""
    documents, answered = (list(dict.fromkeys(item.get("documents") or [])) for item in (question, answer))
    if kind == "doc":
        return [] if edition == 9 and not documents else [_score_documents(documents, answered, edition)]
    snippets, answered = (_merge(_parse_snippets(item)) for item in (question, answer))
    return [] if edition == 9 and not snippets else [_score_snippets(snippets, answered, edition)]


def _score_run(run: Run, assessments: Assessments, name: str) -> CampaignScores:
    answers, gold = _load_questions(run), _load_questions(assessments)
    topics, overall = score_questions(gold, answers, int(name.removeprefix("bioasq")))
    answered = [str(question["id"]) for question in answers]
    return CampaignScores(
        topics,
        overall,
        lacking=[topic for topic in topics if topic not in set(answered)],
        unassessed=[topic for topic in answered if topic not in topics],
    )


def _load_questions(thing: Run | Assessments) -> list[dict[str, Any]]:
    """Return the questions of a BioASQ file, or those of other data converted to BioASQ's format."""
    if thing.format == "bioasq" and thing.about.get("bioasq"):
        return load_records(thing.about["bioasq"])
    data = BIOASQ_ANSWERS.write(thing) if isinstance(thing, Run) else BIOASQ_GOLD.write(thing)
    questions: list[dict[str, Any]] = json.loads(data)["questions"]
    return questions


BIOASQ = CampaignScorer(
    name="bioasq",
    about="the public scorer of BioASQ task b, phase A (Evaluation-Measures, 2022)",
    sets={f"bioasq{edition}": _FIGURES for edition in (2, 3, 5, 8, 9)},
    score=_score_run,
    lacking="left out of every mean",
    compat=True,
    faults=(
        (
            "Average precision of snippets adds a precision for every snippet of any gold document, whether "
            "it overlaps gold or not, and divides by the number of gold snippets, at most 10: nine junk "
            "snippets raise it from 1 to 7.01.  It is not bounded by 1."
        ),
        "Lists are not cut at ten: the average precision of more than ten relevant documents exceeds 1, too.",
        "A snippet has one character more than its text: offsets are taken as inclusive, the files' are not.",
        "Overlaps are added up over all pairs: gold that overlaps across sections or addresses counts twice.",
        (
            "Precision and recall compare documents by the last part of their address, average precision by "
            "the whole address: the same article under two addresses counts in one and not in the other."
        ),
        (
            "Names of sections are cut at their first dot; an answer in sections.0 matches gold in an "
            "abstract, the reverse does not."
        ),
        "Questions that the answers lack are left out of every mean: leaving out a hard question helps.",
        "Editions 2 and 8: a question without gold snippets counts as 0 in the mean and as 1 in GMAP.",
        (
            "Without any question left, precision and recall of documents are 0, GMAP of snippets is 0, and "
            "the other figures are not numbers."
        ),
    ),
)
