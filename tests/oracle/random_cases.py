"""Random topics: small enough to score in milliseconds, odd enough to hit the corner cases.

Trees have mixed content, single children of equal span, empty elements; highlights cross elements, overlap
and touch; some documents have nothing relevant and some were never assessed; runs have repeats, ties,
unresolved results, and may be shorter or longer than any base.  All randomness comes from the generator
that the caller passes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from .case_model import Case, Grade, Result, Span
from .rules import share_text
from .trees import Document, Element, grow, plant

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

TAGS = ("sec", "p", "p", "it", "link")
GRADES_2002: tuple[Grade, ...] = (
    (0, "N"),
    *((relevance, cover) for relevance in (1, 2, 3) for cover in "LSE"),
)
GRADES_2003: tuple[Grade, ...] = ((0, 0), *((e, s) for e in (1, 2, 3) for s in (1, 2, 3)))


@dataclass(frozen=True)
class Switches:
    """The options of a random case."""

    kind: str = "mixed"
    """"elements", "passages" or "mixed" results."""
    overlap: bool = True
    grouped: bool = False
    entry_points: bool = False
    scale: str = "2006"
    documents: int = 3
    elements: int = 14
    length: int = 12
    bare: bool = False
    unresolved: bool = True
    repeats: bool = True
    ties: bool = True
    task: str = "focused"
    chunks: bool = False


def random_case(
    random: Random,
    *,
    kind: str = "mixed",
    overlap: bool = True,
    grouped: bool = False,
    entry_points: bool = False,
    scale: str = "2006",
    documents: int = 3,
    elements: int = 14,
    length: int = 12,
    bare: bool = False,
    unresolved: bool = True,
    repeats: bool = True,
    ties: bool = True,
    task: str = "focused",
    chunks: bool = False,
    aspects: bool = False,
) -> Case:
    """Make a random topic.

    ``kind`` is "elements", "passages" or "mixed"; ``overlap=False`` keeps results disjoint, ``grouped``
    keeps the results of a document together, ``entry_points`` leaves one result per document.  ``scale``
    other than "2006" adds grades.  ``documents``, ``elements`` and ``length`` are upper bounds; ``bare``
    leaves the trees out. ``unresolved``, ``repeats`` and ``ties`` allow these to occur.  ``chunks`` adds a
    chunking of every document, ``aspects`` names aspects of some highlights.
    """
    switches = Switches(
        kind, overlap, grouped, entry_points, scale, documents, elements, length, bare, unresolved, repeats,
        ties, task, chunks,
    )  # fmt: skip
    collection = [_document(random, f"d{i}", switches) for i in range(1, random.randint(1, documents) + 1)]
    highlights: dict[str, list[Span]] = {}
    fruitful = random.choice(collection)  # so that few topics have nothing to find
    for document in collection:
        if document is fruitful or random.random() < 0.8:  # the others were never assessed
            share = 0.9 if document is fruitful else 0.6
            highlights[document.id] = _highlights(random, document) if random.random() < share else []
    case = Case(
        collection,
        highlights,
        beps={
            name: _bep(random, spans) for name, spans in highlights.items() if spans and random.random() < 0.9
        },
        judged=set(highlights),
        scale=scale,
        task=task,
    )
    case = replace(case, grades=_grades(random, case))
    if chunks:
        case = replace(case, chunks=[piece for each in collection for piece in _cut(random, each)])
    case = replace(case, results=_run(random, case, switches))
    return _add_aspects(random, case) if aspects else case


def _add_aspects(random: Random, case: Case) -> Case:
    """Name the aspects of most highlights, repeat some under another aspect, and weigh some aspects."""
    names = ("a1", "a2", "a3", None)
    highlights: dict[str, list[Span]] = {}
    for doc, spans in case.highlights.items():
        highlights[doc] = [*spans, *(span for span in spans if random.random() < 0.3)]
        if random.random() < 0.2:  # an empty highlight, which does not count
            highlights[doc].append((1, 1))
    aspects = {doc: [random.choice(names) for _ in spans] for doc, spans in highlights.items()}
    grades = {
        doc: [random.choice((None, None, 2.0, 0.0)) if random.random() < 0.5 else None for _ in spans]
        for doc, spans in highlights.items()
    }
    counted = {
        name
        for doc, spans in highlights.items()
        for (start, end), name, grade in zip(spans, aspects[doc], grades[doc], strict=True)
        if name is not None and grade != 0 and end > start
    }
    settings = {
        name: (random.choice((1, 1, 2, 5, 0.25)), random.random() < 0.6)
        for name in sorted(counted)
        if random.random() < 0.7
    }
    return replace(
        case, highlights=highlights, aspects=aspects, highlight_grades=grades, aspect_settings=settings
    )


def _document(random: Random, name: str, switches: Switches) -> Document:
    """A document with a random tree, or a bare one, and a text with words in it."""
    if switches.bare:
        root, size = None, random.randint(1, 60)
    else:
        below = random.choice((0, switches.elements // 3, switches.elements - 1, switches.elements - 1))
        root = plant(_subtree(random, "article", 0, 1, [below]))
        size = root.end
    text = "".join(random.choice("abcd  \n") for _ in range(size))
    breaks = tuple(random.sample(range(size), k=min(size, random.choice((0, 0, 1, 2)))))
    return Document(name, size, root, text, breaks)


def _subtree(random: Random, tag: str, start: int, depth: int, left: list[int]) -> Element:
    """An element from ``start`` on; ``left[0]`` is the number of descendants the document may still get."""
    shape = random.random()
    if shape < 0.08 and depth > 1:
        return grow(tag, start, start)  # an empty element
    if shape < 0.2 and left[0] > 0 and depth < 6:
        left[0] -= 1
        child = _subtree(random, random.choice(TAGS), start, depth + 1, left)
        return grow(tag, start, child.end, child)  # a single child of equal span
    children: list[Element] = []
    position = start
    for _ in range(random.randint(1, 9 if depth == 1 else 4)):
        if left[0] > 0 and depth < 6 and random.random() < 0.7:
            left[0] -= 1
            children.append(_subtree(random, random.choice(TAGS), position, depth + 1, left))
            position = children[-1].end
        else:
            position += random.randint(0, 9)
    return grow(tag, start, position, *children)


def _span(random: Random, document: Document) -> Span:
    """A random span, one time in three that of an element."""
    elements = document.elements()
    if elements and random.random() < 0.35:
        element = random.choice(elements)
        return element.start, element.end
    start, end = sorted(random.choices(range(document.size + 1), k=2))
    return start, end


def _highlights(random: Random, document: Document) -> list[Span]:
    """One to four spans in any order: they may overlap, touch and cross elements."""
    spans = [_span(random, document) for _ in range(random.randint(1, 4))]
    if random.random() < 0.3:  # a neighbour that touches
        end = spans[0][1]
        spans.append((end, min(document.size, end + random.randint(1, 5))))
    return [(start, end) for start, end in spans if end > start]


def _bep(random: Random, spans: list[Span]) -> int:
    """A best entry point: usually where a highlight begins."""
    start, end = random.choice(spans)
    return start if random.random() < 0.6 else random.randint(0, end)


def _grades(random: Random, case: Case) -> dict[tuple[str, str], Grade] | None:
    """Grades for most elements of the assessed documents; nothing forces them to be consistent."""
    if case.scale == "2006":
        return None
    tables: dict[str, tuple[Grade, ...]] = {"2002": GRADES_2002, "2003": GRADES_2003, "2005": (0, 1, 2, "?")}
    return {
        (name, each.path): random.choice(tables[case.scale])
        for name, each in case.elements()
        if name in case.judged and random.random() < 0.8
    }


def _cut(random: Random, document: Document) -> list[Result]:
    """Chunks of about equal length, overlapping now and then."""
    width, overlap = random.randint(3, 12), random.choice((0, 0, 1, 2))
    starts = range(0, max(document.size, 1), max(1, width - overlap))
    return [Result(document.id, start, min(document.size, start + width)) for start in starts]


def _one(random: Random, case: Case, switches: Switches) -> Result:
    """One result without rank and rsv."""
    document = random.choice(case.documents)
    if switches.unresolved and random.random() < 0.07:
        doc = random.choice((document.id, "nowhere"))
        return Result(doc, None, None, random.choice((None, "/article[1]/none[1]")))
    elements = document.elements()
    if elements and (switches.kind == "elements" or (switches.kind == "mixed" and random.random() < 0.6)):
        element = random.choice(elements)
        return Result(document.id, element.start, element.end, element.path)
    start, end = _span(random, document)
    if switches.entry_points and random.random() < 0.5:
        end = start
    return Result(document.id, start, end)


def _run(random: Random, case: Case, switches: Switches) -> list[Result]:
    """A run in file order, with the columns of one of the producers that formats.md knows."""
    results: list[Result] = []
    for _ in range(random.randint(0, switches.length)):
        again = switches.repeats and results and random.random() < 0.12
        result = random.choice(results) if again else _one(random, case, switches)
        if not switches.overlap and any(share_text(result, each) for each in results):
            continue
        results.append(result)
    if switches.entry_points:
        results = [
            each for i, each in enumerate(results) if each.doc not in {other.doc for other in results[:i]}
        ]
    if switches.grouped:
        first = {each.doc: i for i, each in reversed(list(enumerate(results)))}
        results.sort(key=lambda each: first[each.doc])
    columns: list[Callable[[Random, list[Result], bool], list[Result]]] = [
        _bare_columns, _by_rank, _by_score, _by_both
    ]  # fmt: skip
    return random.choice(columns)(random, results, switches.ties)


def _bare_columns(_random: Random, results: list[Result], _ties: bool) -> list[Result]:
    """Neither rank nor rsv."""
    return results


def _falling(random: Random, count: int, *, ties: bool) -> list[int]:
    """Numbers that never rise; some steps are 0 where ties are wanted."""
    steps = [random.choice((0, 1, 1, 2)) if ties else 1 for _ in range(count)]
    return [sum(steps[i:]) + 1 for i in range(count)]


def _shuffled(random: Random, results: list[Result], *, unique: bool) -> list[Result]:
    """Another file order now and then, but only where no tie depends on the file order."""
    if unique and random.random() < 0.4:
        return random.sample(results, k=len(results))
    return results


def _by_rank(random: Random, results: list[Result], ties: bool) -> list[Result]:
    """Ranks only; one producer starts at 0."""
    numbers = _falling(random, len(results), ties=ties)
    first = random.choice((0, 1))
    top = max(numbers, default=0)
    ranked = [replace(each, rank=top - number + first) for each, number in zip(results, numbers, strict=True)]
    return _shuffled(random, ranked, unique=len(set(numbers)) == len(numbers))


def _by_score(random: Random, results: list[Result], ties: bool) -> list[Result]:
    """Retrieval status values only."""
    numbers = _falling(random, len(results), ties=ties)
    scored = [replace(each, rsv=Fraction(number, 4)) for each, number in zip(results, numbers, strict=True)]
    return _shuffled(random, scored, unique=len(set(numbers)) == len(numbers))


def _by_both(random: Random, results: list[Result], ties: bool) -> list[Result]:
    """Both columns, which contradict each other now and then."""
    ranked = [replace(each, rank=i) for i, each in enumerate(results, start=1)]
    if ties and random.random() < 0.4:
        ranked = [replace(each, rank=(each.rank or 0) // 2) for each in ranked]
    elif ties and random.random() < 0.2:
        ranked = [replace(each, rank=1) for each in ranked]  # a producer that numbers nothing
    numbers = _falling(random, len(results), ties=ties)
    if random.random() < 0.3:
        random.shuffle(numbers)
    both = [replace(each, rsv=Fraction(number, 4)) for each, number in zip(ranked, numbers, strict=True)]
    return _shuffled(random, both, unique=len({each.rank for each in both}) == len(both))
