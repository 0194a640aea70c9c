"""The warnings beside scores: findings that changed a score or may have done so, with their codes.

A warning is its sentence, and also has the code, the run, the number of topics concerned, and the effect on
scores.  Findings that ``doxel check`` reports as well have the same codes there; codes of findings that only
scoring can make begin with S.

The checks that can change a score look at results that are already resolved and ordered.  Most runs have no
such findings: a quick comparison of neighbouring ranks and scores shows whether there can be any, and only
then does the check itself run.
"""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Self

import polars as pl

from doxel.alignment.aligner import UNPLACED, PlacementGuess, describe_guesses
from doxel.assessments.assessment_spans import (
    NO_POSITION,
    count_problems,
    describe_problems,
    describe_quotations,
)
from doxel.assessments.assessments import JUDGED, Assessments
from doxel.assessments.judged_pairs import JudgedPairs
from doxel.checks.check_declaration import EFFECTS, Effect
from doxel.checks.check_subjects import CheckContext, CheckedAssessments, CheckedRun
from doxel.checks.score_checks import SCORE_CHECKS
from doxel.documents import Collection
from doxel.errors import DoxelWarning, InputError
from doxel.runs.result_spans import (
    BACKWARDS,
    NOT_IN_COLLECTION,
    OUTSIDE,
    TEXT_NOT_FOUND,
    UNKNOWN_DOCUMENT,
    UNKNOWN_PATH,
    explode_pieces,
)
from doxel.wording import did_you_mean, pluralise

__all__ = [
    "ScoreWarning",
    "check_codes",
    "check_scored_assessments",
    "check_scored_run",
    "count_lost_results",
    "describe_placements",
    "find_effect",
    "hide_warnings",
    "issue_warnings",
    "list_guesses",
    "note_reading",
    "sort_by_gravity",
    "warn_of_outside",
]


class ScoreWarning(str):
    """A sentence about scores, with the code of its check; the name of the run comes first.

    >>> warning = ScoreWarning("3 results end after the end of their document", "R103", run="mine", topics=2)
    >>> print(warning)
    mine: 3 results end after the end of their document
    >>> warning.code, warning.effect, warning.run, warning.topics
    ('R103', 'guess', 'mine', 2)
    """

    __slots__ = ("code", "effect", "run", "sentence", "topics")

    sentence: str
    code: str
    run: str | None
    topics: int | None
    effect: Effect

    def __new__(
        cls,
        sentence: str,
        code: str,
        *,
        run: str | None = None,
        topics: int | None = None,
        effect: Effect | None = None,
    ) -> Self:
        """Make a warning; its effect is that of its check, unless another one is given."""
        warning = super().__new__(cls, sentence if run is None else f"{run}: {sentence}")
        warning.sentence, warning.code, warning.run, warning.topics = str(sentence), code, run, topics
        warning.effect = find_effect(code) if effect is None else effect
        return warning

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, Any]]:
        return (self.sentence, self.code), {"run": self.run, "topics": self.topics, "effect": self.effect}

    def name_run(self, run: str) -> ScoreWarning:
        """Return the warning for a run of this name."""
        return ScoreWarning(self.sentence, self.code, run=run, topics=self.topics, effect=self.effect)

    def with_label(self, label: str) -> ScoreWarning:
        """Return the warning with a label before its sentence."""
        return ScoreWarning(f"{label}: {self}", self.code, topics=self.topics, effect=self.effect)

    def to_dict(self) -> dict[str, Any]:
        """Return the warning as an object of JSON."""
        names = ("code", "effect", "run", "topics", "sentence")
        return {name: getattr(self, name) for name in names}


def find_effect(code: str) -> Effect:
    """Return the effect that the check with a code declares."""
    return _SCORE_EFFECTS[code] if code in _SCORE_EFFECTS else _map_effects()[code]


_SCORE_EFFECTS: dict[str, Effect] = {check.code: check.effect for check in SCORE_CHECKS}


@cache
def _map_effects() -> dict[str, Effect]:
    # imported late: the table imports all checks, and most warnings are about scores
    from doxel.checks.check_table import CHECKS

    return {check.code: check.effect for check in CHECKS} | _SCORE_EFFECTS


def check_codes(codes: Iterable[str]) -> frozenset[str]:
    """Return the codes of warnings to hide; raise an error for an unknown code.

    >>> check_codes(["R1033"])
    Traceback (most recent call last):
    doxel.errors.InputError: silence: wanted a code such as R103, found 'R1033'; did you mean R103?
    """
    silenced_codes = frozenset(codes)
    known_codes = _map_effects() if silenced_codes else {}
    for code in sorted(silenced_codes - known_codes.keys()):
        hint = did_you_mean(code, tuple(known_codes)) or "; 'doxel check --codes' lists all codes"
        suggestion = f"{code!r}{hint}"
        raise InputError("silence", wanted="a code such as R103", found=suggestion)
    return silenced_codes


def hide_warnings(messages: Iterable[ScoreWarning], codes: Container[str]) -> tuple[ScoreWarning, ...]:
    """Return the warnings, each once, without those of the given codes; refusals stay."""
    return tuple(
        warning
        for warning in dict.fromkeys(messages)
        if warning.effect == "refuse" or warning.code not in codes
    )


def note_reading(note: str) -> ScoreWarning:
    """Return a note of a reader as a warning."""
    return note if isinstance(note, ScoreWarning) else ScoreWarning(note, "F002")


def list_guesses(messages: Iterable[ScoreWarning], silence: Container[str]) -> list[ScoreWarning]:
    """Return the warnings about guesses, without those of silenced codes."""
    return [warning for warning in messages if warning.effect == "guess" and warning.code not in silence]


def sort_by_gravity(messages: Sequence[ScoreWarning]) -> list[ScoreWarning]:
    """Return warnings with the most serious first: refusals, guesses, notes."""
    order = list(EFFECTS)
    return sorted(messages, key=lambda warning: order.index(warning.effect))


def issue_warnings(messages: Sequence[ScoreWarning], *, level: int) -> None:
    """Issue Python warnings for refusals and guesses, one per code and run; notes are not issued.

    ``level`` is the number of frames between this function's caller and the code to blame.
    """
    issued: set[tuple[str, str | None]] = set()
    for warning in sort_by_gravity(messages):
        key = (warning.code, warning.run)
        if warning.effect != "none" and key not in issued:
            issued.add(key)
            details = {name: value for name, value in warning.to_dict().items() if name != "sentence"}
            warnings.warn(DoxelWarning(str(warning), **details), stacklevel=level + 1)


_RUN_CODES = {
    UNKNOWN_DOCUMENT: "R101",
    UNKNOWN_PATH: "R102",
    OUTSIDE: "R103",
    NOT_IN_COLLECTION: "R104",
    NO_POSITION: "R104",
    BACKWARDS: "R107",
}
_ASSESSMENT_CODES = {
    UNKNOWN_DOCUMENT: "A101",
    UNKNOWN_PATH: "A102",
    OUTSIDE: "A103",
    TEXT_NOT_FOUND: "A105",
    NO_POSITION: "A108",
    BACKWARDS: "A108",
}
# the end of the codes of uncertain texts; the codes of runs and of assessments differ in the first letter
_PLACEMENT_CODES = {UNPLACED: "105", "ambiguous": "106", "fuzzy": "110", "joined": "111"}
_MOVED_CODES = {"R": "R108", "A": "A107"}
_GRADE_CODES = ("A301", "A302", "A304")

# the sentence of a warning about the results, or topics, that a check has found
_SENTENCES = {
    "R303": (
        "result has a higher score than the result ranked before it",
        "results have a higher score than the result ranked before them",
        "{count} ({topics}); the ranks count, not the scores",
    ),
    "R305": (
        "result has no rank, unlike others of its topic",
        "results have no rank, unlike others of their topic",
        "{count} ({topics}) and come last",
    ),
    "R309": (
        "result shares its rank with a result of another score",
        "results share their rank with a result of another score",
        "{count} ({topics}); such results are taken in file order",
    ),
    "R311": (
        "topic has the same rank for all its results",
        "topics have the same rank for all their results",
        "{count}; the ranks are ignored, and the {basis} decide the order",
    ),
    "R312": (
        "topic lists",
        "topics list",
        (
            "{count} the lowest score first, but the highest is ranked first; if they are distances, "
            'negate them, or call them "distance" (JSON lines, CSV, Python)'
        ),
    ),
}


def check_scored_run(checked: CheckedRun) -> list[ScoreWarning]:
    """Return the warnings about the ranking and the collection of a run that is being scored."""
    codes = set(_list_suspected_codes(checked))
    if not codes:
        return []
    from doxel.checks.check_table import RUN_CHECKS

    messages: list[ScoreWarning] = []
    for check in RUN_CHECKS:
        places = check.find(checked) if check.code in codes else None
        if places is None or not places.height:
            continue
        if check.code not in _SENTENCES:
            messages.append(ScoreWarning(places["message"][0], check.code))
            continue
        singular, plural, sentence = _SENTENCES[check.code]
        topics = places["topic"].n_unique()
        text = sentence.format(
            count=pluralise(places.height, singular, plural),
            topics=f"in {pluralise(topics, 'topic')}",
            basis="scores" if checked.filed["rsv"].n_unique() > 1 else "lines of the file",
        )
        messages.append(ScoreWarning(text, check.code, topics=topics))
    return messages


def _list_suspected_codes(checked: CheckedRun) -> Iterator[str]:
    """Yield the codes of the checks that may find something, by a quick comparison."""
    if checked.around.collection is not None and checked.run.fingerprints:
        yield "R109"
    has_scores = checked.results["rsv"].null_count() < checked.results.height
    if checked.order == "rank":
        yield from _suspect_ranks(checked, has_scores=has_scores)
    elif checked.order == "score" and has_scores:
        results = checked.results
        follows = results["position"].to_numpy()[1:] > 1
        ranks, scores = results["rank"].to_numpy(), results["rsv"].to_numpy()
        if not (follows & (scores[1:] < scores[:-1]) & (ranks[1:] > ranks[:-1])).any():
            yield "R312"


def _suspect_ranks(checked: CheckedRun, *, has_scores: bool) -> Iterator[str]:
    """Yield the codes of the checks that may find something in results ordered by rank."""
    results, filed = checked.results, checked.filed
    ranks, scores = results["rank"].to_numpy(), results["rsv"].to_numpy()
    lacking = results["rank"].null_count()
    if lacking > filed["rank"].null_count():
        yield "R311"
    if 0 < lacking < results.height:
        yield "R305"
    if lacking < results.height:
        follows = results["position"].to_numpy()[1:] > 1  # the first result of a topic follows none
        if (follows & (ranks[1:] == ranks[:-1])).any():
            yield from ("R309", "R311")
        if (follows & (scores[1:] > scores[:-1])).any():
            yield "R303"
    if lacking and has_scores:
        scores_in_file = filed["rsv"].to_numpy()
        falls = int((scores_in_file[1:] < scores_in_file[:-1]).sum())  # expected only where a topic begins
        if falls < len(filed["topic"].rle()):
            yield "R312"


def count_lost_results(results: pl.DataFrame, topics: Sequence[str]) -> list[ScoreWarning]:
    """Return warnings about the results of some topics that were not found in the collection."""
    problems = results["problem"]
    if problems.null_count() == len(problems):
        return []
    counts = (
        results.filter((pl.col("problem") != TEXT_NOT_FOUND) & pl.col("topic").is_in(list(topics)))
        .with_columns(has_span=pl.col("start").is_not_null())
        .group_by("problem", "has_span", maintain_order=True)
        .agg(results=pl.len(), topics=pl.col("topic").n_unique())
    )
    return [
        ScoreWarning(
            _describe_loss(problem, number, has_span=has_span),
            _RUN_CODES[problem],
            topics=concerned,
        )
        for problem, has_span, number, concerned in counts.iter_rows()
    ]


def warn_of_outside(results: int, topics: int) -> ScoreWarning:
    """Return the warning about results that start in their document and end after its end."""
    sentence = pluralise(
        results,
        "result ends after the end of its document; its characters beyond it count as not relevant",
        "results end after the end of their document; their characters beyond it count as not relevant",
    )
    return ScoreWarning(sentence, "R103", topics=topics)


def _describe_loss(problem: str, number: int, *, has_span: bool) -> str:
    if has_span:
        return warn_of_outside(number, 1).sentence
    if problem == NO_POSITION:
        return pluralise(
            number,
            "result is a span, but the assessments list elements without their positions; it counts as "
            "retrieving nothing; pass the documents with -c",
            "results are spans, but the assessments list elements without their positions; they count as "
            "retrieving nothing; pass the documents with -c",
        )
    reason = "its offset is X or -1" if problem == NOT_IN_COLLECTION else problem
    return pluralise(
        number,
        f"result was not found in the collection ({reason}); "
        "it keeps its rank and counts as retrieving nothing",
        f"results were not found in the collection ({reason}); "
        "they keep their rank and count as retrieving nothing",
    )


def describe_placements(results: pl.DataFrame, topics: Sequence[str]) -> list[ScoreWarning]:
    """Return warnings about the texts of some topics that are empty, not found, or at an uncertain place."""
    if results["pieces"].null_count() == results.height:
        return []
    results = results.filter(pl.col("topic").is_in(list(topics)))
    is_empty = pl.col("text").str.strip_chars() == ""
    empty = results.filter(is_empty & pl.col("pieces").is_not_null())
    messages = []
    if empty.height:
        sentence = pluralise(
            empty.height,
            "text is empty; it keeps its rank and counts as retrieving nothing",
            "texts are empty; they keep their rank and count as retrieving nothing",
        )
        messages.append(ScoreWarning(sentence, "R105", topics=empty["topic"].n_unique()))
    pieces = explode_pieces(results.filter(~is_empty.fill_null(value=False)))
    return [*messages, *_warn_of_placements(describe_guesses(pieces), "R")]


def _warn_of_placements(guesses: Iterable[PlacementGuess], kind: str) -> list[ScoreWarning]:
    label = "assessments: " if kind == "A" else ""
    return [
        ScoreWarning(
            f"{label}{guess.sentence}",
            _MOVED_CODES[kind] if guess.kind == "moved" else f"{kind}{_PLACEMENT_CODES[guess.kind]}",
            topics=guess.topics,
        )
        for guess in guesses
    ]


def check_scored_assessments(
    assessments: Assessments, resolved: Assessments, assessed: JudgedPairs, collection: Collection | None
) -> list[ScoreWarning]:
    """Return the warnings about assessments: places missing in the collection, contradictory grades.

    ``assessed`` are the same assessments, laid out for scoring.
    """
    found_warnings: list[ScoreWarning] = []
    if collection is not None:
        counts = count_problems(resolved)
        for (table, problem, rows), sentence in zip(counts.rows(), describe_problems(counts), strict=True):
            code = "A104" if (table, problem) == ("beps", OUTSIDE) else _ASSESSMENT_CODES[problem]
            is_foreign = (table, problem, rows) == ("judged", UNKNOWN_DOCUMENT, resolved.judged.height)
            advice = ", and no others were judged: is it another collection?" if is_foreign else ""
            found_warnings.append(ScoreWarning(f"assessments: {sentence}{advice}", code))
        found_warnings += _warn_of_placements(describe_quotations(resolved), "A")
    codes = set(_suspect_assessments(assessments, assessed, collection))
    if not codes:
        return found_warnings
    from doxel.checks.check_table import ASSESSMENT_CHECKS

    checked = CheckedAssessments(assessments, resolved, CheckContext(collection), JUDGED.empty())
    for check in ASSESSMENT_CHECKS:
        places = check.find(checked) if check.code in codes else None
        if places is not None and places.height:
            cases = pluralise(places.height, "case")
            topics = places["topic"].n_unique() if "topic" in places.columns else None
            sentence = f"assessments: {check.title}: {cases}"
            found_warnings.append(ScoreWarning(sentence, check.code, topics=topics))
    return found_warnings


def _suspect_assessments(
    assessments: Assessments, assessed: JudgedPairs, collection: Collection | None
) -> Iterator[str]:
    """Yield the codes of the checks that may find something, by a quick comparison."""
    if collection is None:
        pair, _, end = assessed.spans
        size = assessed.document_size
        if ((size[pair] >= 0) & (end > size[pair])).any():
            yield "A103"
        if ((size >= 0) & (assessed.entry_point > size)).any():
            yield "A104"
    elif assessments.about or assessments.judged["collection"].null_count() < assessments.judged.height:
        yield "A109"
    if assessments.has_aspects:
        yield "A206"
    if assessments.elements.height:
        yield from _GRADE_CODES
    if assessments.elements.height or (assessments.judged["rsize"] > assessments.judged["docsize"]).any():
        yield "A403"
