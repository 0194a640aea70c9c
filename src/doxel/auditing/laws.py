"""The laws that a sound scorer keeps, each declared once: what must hold, why, and for which measures.

A law changes a case and compares the scores before and after the change.  ``change`` returns the second case,
or None if the case has nothing to change.  The scores are compared as if higher were better; those of a
measure for which lower is better are negated first, with their bounds.

A law with a ``kind`` binds only measures of this kind (see ``KINDS`` of the declaration of measures).  If the
kind of a scorer is not known, such a law is tested, too, but a counterexample is reported as a property of
the scorer, not as a fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from doxel.auditing.audit_cases import OTHER_DOCUMENT, SHAPES, AuditCase, Passage

__all__ = ["ANSWERS", "BOUNDS", "LAWS", "Law", "ScorePair"]

Item = TypeVar("Item")

_FAR = 30  # a place behind all random passages
_PERIOD = 10  # the texts of cases repeat themselves, so that a shift by this leaves words whole


@dataclass(frozen=True)
class ScorePair:
    """The scores before and after a change, higher is better, with the bounds of the scorer."""

    before: float
    after: float
    low: float
    high: float
    tolerance: float

    @property
    def is_equal(self) -> bool:
        """Whether both scores are the same."""
        return self.before == self.after or abs(self.before - self.after) <= self.tolerance

    @property
    def has_risen(self) -> bool:
        """Whether the change helped."""
        return self.after > self.before + self.tolerance

    @property
    def has_fallen(self) -> bool:
        """Whether the change hurt."""
        return self.after < self.before - self.tolerance

    @property
    def is_within_bounds(self) -> bool:
        """Whether both scores are within the bounds."""
        return all(
            self.low - self.tolerance <= score <= self.high + self.tolerance
            for score in (self.before, self.after)
        )

    @property
    def is_highest(self) -> bool:
        """Whether the second score is the upper bound, or there is none."""
        return math.isinf(self.high) or self.after >= self.high - self.tolerance

    @property
    def is_lowest(self) -> bool:
        """Whether the second score is the lower bound, or there is none."""
        return math.isinf(self.low) or self.after <= self.low + self.tolerance


@dataclass(frozen=True)
class Law:
    """A statement that holds for every case, with its reason."""

    name: str
    statement: str
    reason: str
    change: Callable[[AuditCase], AuditCase | None]
    holds: Callable[[ScorePair], bool]
    kind: str | None = None
    shapes: tuple[str, ...] = SHAPES
    compares: bool = True  # with the score before the change; if not, the changed case alone breaks the law


def _leave(case: AuditCase) -> AuditCase:
    return case


def _answer_perfectly(case: AuditCase) -> AuditCase:
    """Return the case with the relevant text of each topic as its results, and nothing else."""
    return case.answer_with(
        stretch for topic in case.topics for stretch in case.find_relevant_stretches(topic)
    )


def _answer_beside_the_gold(case: AuditCase) -> AuditCase | None:
    """Return the case with results that touch relevant text but contain none of it."""
    length = 1 + case.picks[0] % 3
    results = [piece for topic in case.topics for piece in _find_neighbours(case, topic, length)]
    return case.answer_with(dict.fromkeys(results)) if results else None


def _find_neighbours(case: AuditCase, topic: str, length: int) -> Iterator[Passage]:
    stretches = list(case.find_relevant_stretches(topic))
    for _, doc, start, end in stretches:
        others = [other for other in stretches if other.doc == doc]
        left = max([other.end for other in others if other.end <= start], default=0)
        right = min([other.start for other in others if other.start >= end], default=end + length)
        if left < start:
            yield Passage(topic, doc, max(left, start - length), start)
        if right > end:
            yield Passage(topic, doc, end, min(right, end + length))


def _append_junk(case: AuditCase) -> AuditCase:
    """Append results without relevant text: of a document without gold, and elsewhere in one with gold."""
    topic = _pick(case.topics, case.picks[0])
    doc = _pick([passage.doc for passage in case.gold if passage.topic == topic], case.picks[1])
    other = Passage(topic, OTHER_DOCUMENT, 0, 1)
    if case.shape in {"documents", "articles"}:  # all text of a relevant document is relevant there
        return case.answer_with([*case.results, other])
    junk = [
        other,
        Passage(topic, doc, _FAR, _FAR + 1),
        Passage(topic, doc, _FAR + 5, _FAR + 6),
    ]
    choices = (junk[1:2], junk[:1], junk[1:], junk)
    return case.answer_with([*case.results, *choices[case.picks[2] % 4]])


def _repeat_result(case: AuditCase) -> AuditCase:
    return case.answer_with([*case.results, _pick(case.results, case.picks[0])])


def _split_result(case: AuditCase) -> AuditCase | None:
    """Cut a result into two adjacent pieces at its place in the ranking."""
    long = [place for place, result in enumerate(case.results) if result.end - result.start > 1]
    if not long:
        return None
    place = _pick(long, case.picks[0])
    topic, doc, start, end = case.results[place]
    cut = start + 1 + case.picks[1] % (end - start - 1)
    pieces = (Passage(topic, doc, start, cut), Passage(topic, doc, cut, end))
    return case.answer_with([*case.results[:place], *pieces, *case.results[place + 1 :]])


def _overlap_result(case: AuditCase) -> AuditCase | None:
    """Cut a result into two pieces that share a character, at its place in the ranking."""
    long = [place for place, result in enumerate(case.results) if result.end - result.start > 2]
    if not long:
        return None
    place = _pick(long, case.picks[0])
    topic, doc, start, end = case.results[place]
    cut = start + 1 + case.picks[1] % (end - start - 2)
    pieces = (Passage(topic, doc, start, cut + 1), Passage(topic, doc, cut, end))
    return case.answer_with([*case.results[:place], *pieces, *case.results[place + 1 :]])


def _shuffle_lines(case: AuditCase) -> AuditCase:
    return replace(case, shuffle=1 + case.picks[0])


def _rename_ids(case: AuditCase) -> AuditCase:
    """Give all ids new names whose order, as text and as numbers, is that of the old ones."""
    return _replace_passages(
        case, lambda passage: passage._replace(topic=f"{int(passage.topic) + 4}", doc=f"e{passage.doc[1:]}")
    )


def _reverse_documents(case: AuditCase) -> AuditCase:
    """Give documents new names in the opposite order; no two results of a topic have equal scores."""
    numbers = dict(zip("1234569", "9654321", strict=True))
    return _replace_passages(case, lambda passage: passage._replace(doc=f"e{numbers[passage.doc[1:]]}"))


def _shift_text(case: AuditCase) -> AuditCase:
    """Move all passages by the same number of characters, as text at the beginning of documents does."""
    shift = _PERIOD * (1 + case.picks[0] % 3)
    return _replace_passages(
        case, lambda passage: passage._replace(start=passage.start + shift, end=passage.end + shift)
    )


def _replace_passages(case: AuditCase, change: Callable[[Passage], Passage]) -> AuditCase:
    """Return the case with each passage of gold and results changed in the same way."""
    gold, results = (tuple(map(change, passages)) for passages in (case.gold, case.results))
    return replace(case, gold=gold, results=results)


def _append_relevant(case: AuditCase) -> AuditCase | None:
    """Append gold that is not among the results yet."""
    missing = [passage for passage in case.gold if passage not in case.results]
    return case.answer_with([*case.results, _pick(missing, case.picks[0])]) if missing else None


def _judge_junk(case: AuditCase) -> AuditCase | None:
    """Judge a retrieved document without gold: the result is the same, no longer unjudged."""
    relevant = {(passage.topic, passage.doc) for passage in case.gold}
    unjudged = sorted({(result.topic, result.doc) for result in case.results} - relevant)
    return replace(case, judged=(_pick(unjudged, case.picks[0]),)) if unjudged else None


def _leave_unanswered(case: AuditCase) -> AuditCase | None:
    """Drop all results of one topic; another topic is still answered."""
    if len(case.topics) < 2:
        return None
    dropped = _pick(case.topics, case.picks[0])
    return case.answer_with(result for result in case.results if result.topic != dropped)


def _pick(items: Sequence[Item], number: int) -> Item:
    return items[number % len(items)]


# The first two laws are tested on every case that any other law makes.
ANSWERS = Law(
    "answers",
    "Every case gets a score.",
    "A scorer that stops, hangs or prints nothing cannot be used, and may do so on the data that matter.",
    _leave,
    lambda scores: not math.isnan(scores.after),
    compares=False,
)

BOUNDS = Law(
    "bounds",
    "A score is within its bounds.",
    "A share above 1 counts something twice, and its mean over topics hides that.",
    _leave,
    lambda scores: scores.is_within_bounds,
)

LAWS: tuple[Law, ...] = (
    ANSWERS,
    BOUNDS,
    Law(
        "junk",
        "Junk at the end never helps.",
        "Otherwise a system gains by returning more, whatever it is.",
        _append_junk,
        lambda scores: not scores.has_risen,
    ),
    Law(
        "repeat",
        "Repeating a result never helps.",
        "A reader gains nothing from text that was already read, and overlapping chunks repeat text.",
        _repeat_result,
        lambda scores: not scores.has_risen,
        shapes=("spans", "elements", "points"),
    ),
    Law(
        "perfect",
        "The perfect answer gets the highest score.",
        "If all relevant text and nothing else scores below 1, nobody can tell how far a system is from it.",
        _answer_perfectly,
        lambda scores: scores.is_highest,
        compares=False,
    ),
    Law(
        "best",
        "No answer beats the perfect answer.",
        "Otherwise a system gains by returning something other than the relevant text.",
        _answer_perfectly,
        lambda scores: not scores.has_fallen,
    ),
    Law(
        "touching",
        "Text beside the gold counts as not relevant.",
        "The end of a half-open span is not part of it; a scorer that is off by one finds relevance there.",
        _answer_beside_the_gold,
        lambda scores: scores.is_lowest,
        compares=False,
        shapes=("spans", "elements"),
    ),
    Law(
        "splitting",
        "Splitting a result into adjacent pieces changes nothing.",
        "The text is the same, so a score of text must not depend on the chunker.",
        _split_result,
        lambda scores: scores.is_equal,
        kind="text",
        shapes=("spans",),
    ),
    Law(
        "overlapping",
        "Cutting a result into overlapping pieces changes nothing.",
        "The text is the same; chunkers overlap their chunks, and must not be punished or rewarded for that.",
        _overlap_result,
        lambda scores: scores.is_equal,
        kind="text",
        shapes=("spans",),
    ),
    Law(
        "order",
        "The order of the lines in the files does not matter.",
        "Ranks and scores give the order of results; gold has none.",
        _shuffle_lines,
        lambda scores: scores.is_equal,
    ),
    Law(
        "renaming",
        "Renaming topics and documents changes nothing, if their order stays.",
        "An id has no meaning.",
        _rename_ids,
        lambda scores: scores.is_equal,
    ),
    Law(
        "reversing",
        "Reversing the order of the documents' names changes nothing, if no scores are equal.",
        "Ranks and scores give the order of results; only equal scores may leave it to the ids.",
        _reverse_documents,
        lambda scores: scores.is_equal,
    ),
    Law(
        "shifting",
        "Shifting all text changes nothing.",
        "Where a passage is in its document says nothing about its relevance.",
        _shift_text,
        lambda scores: scores.is_equal,
        shapes=("spans", "elements", "points"),
    ),
    Law(
        "more",
        "Adding a relevant result never lowers recall.",
        "Recall is the share of what was found, and more was found.",
        _append_relevant,
        lambda scores: not scores.has_fallen,
        kind="recall",
    ),
    Law(
        "unjudged",
        "An unjudged document counts like one that is judged not relevant.",
        "Assessments differ in whether they list what is not relevant; scores must not.",
        _judge_junk,
        lambda scores: scores.is_equal,
    ),
    Law(
        "unanswered",
        "Leaving a topic unanswered never helps.",
        "Otherwise a system gains by answering only the easy topics.",
        _leave_unanswered,
        lambda scores: not scores.has_risen,
        kind="mean",
    ),
)
"""All laws, in the order of the table."""
