"""The small cases that measures.md computes by hand, and short notation for more of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .case_model import Case, Result, Span
from .trees import Document, grow, plant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAMES = {
    "A": "/article[1]",
    "S1": "/article[1]/sec[1]",
    "S2": "/article[1]/sec[2]",
    "p1": "/article[1]/sec[1]/p[1]",
    "p2": "/article[1]/sec[1]/p[2]",
    "p3": "/article[1]/sec[2]/p[1]",
    "p4": "/article[1]/sec[2]/p[2]",
}
"""The elements of tree A by the names measures.md gives them."""


def tree_a(run: str = "", *, task: str = "focused") -> Case:
    """Tree A of section 2 with a run of its elements: ``tree_a("p4 S2 p1")``; "-" is a non-relevant result.

    The non-relevant result is an element of a second document that was assessed and has nothing highlighted.
    """
    root = plant(
        grow(
            "article",
            0,
            1000,
            grow("sec", 0, 400, grow("p", 0, 200), grow("p", 200, 400)),
            grow("sec", 400, 1000, grow("p", 400, 700), grow("p", 700, 1000)),
        )
    )
    other = plant(grow("article", 0, 100))
    case = Case(
        documents=[Document("a", 1000, root), Document("b", 100, other)],
        highlights={"a": [(0, 200), (400, 850)]},
        judged={"a", "b"},
        task=task,
    )
    results = [
        Result("b", 0, 100, "/article[1]") if name == "-" else element(case, "a", NAMES[name])
        for name in run.split()
    ]
    return replace(case, results=results)


def element(case: Case, doc: str, path: str) -> Result:
    """Return the result that names this element."""
    document = case.document(doc)
    node = None if document is None else document.element(path)
    if node is None:
        raise ValueError(f"{doc} has no element {path}")
    return Result(doc, node.start, node.end, path)


def link_in_paragraph() -> Case:
    """p[0,100) > link[0,10), highlighted [50,100), list link p (section 5)."""
    root = plant(grow("p", 0, 100, grow("link", 0, 10)))
    case = Case([Document("d", 100, root)], {"d": [(50, 100)]}, judged={"d"})
    return replace(case, results=[element(case, "d", "/p[1]/link[1]"), element(case, "d", "/p[1]")])


def spans(gold: Sequence[Span], passages: Sequence[Span], size: int = 1000) -> Case:
    """One document without elements: gold spans against a list of passages (section 12)."""
    return Case(
        [Document("d", size)],
        {"d": list(gold)},
        [Result("d", start, end) for start, end in passages],
        judged={"d"},
    )


QRELS: Mapping[str, Mapping[str, tuple[int, int | None, Sequence[Span]]]] = {
    "1": {
        "A": (1000, 150, [(150, 250)]),
        "B": (400, 0, [(0, 200), (300, 400)]),
        "C": (500, None, []),
        "D": (200, 20, [(20, 70)]),
    },
    "2": {"E": (100, 10, [(10, 90)]), "F": (300, None, [])},
    "3": {"G": (100, 0, [(0, 40)])},
}
"""The qrels of section 8: topic, document, (size, best entry point, highlights)."""


def qrels_case(topic: str, run: Sequence[tuple[str, int | None, int]], *, task: str = "focused") -> Case:
    """A topic of the qrels of section 8 with a run of (document, offset or None, length)."""
    assessed = QRELS[topic]
    return Case(
        documents=[Document(name, size) for name, (size, _, _) in assessed.items()],
        highlights={name: list(marks) for name, (_, _, marks) in assessed.items()},
        results=[
            Result(name, offset, None if offset is None else offset + length) for name, offset, length in run
        ],
        beps={name: bep for name, (_, bep, _) in assessed.items() if bep is not None},
        judged=set(assessed),
        task=task,
    )
