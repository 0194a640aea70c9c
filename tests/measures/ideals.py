"""Runs for which measures are 1; the test of each family declares which of them is ideal for its measures.

"random" topics are those of the oracle, of 2005.  In the "perfect" topic all results are fully relevant and
nothing overlaps.  Some measures reach their maximum only there: graded relevance, a reader who reads on, or
ancestors and descendants in the recall base keep even the best list below it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from oracle import Case, Document, Result, grow, plant
from oracle.quantisation import quantiser
from oracle.recall_bases import Target, full_base, ideal_base


def perfect() -> Case:
    """Return two documents of paragraphs, each exhaustive, specific and highlighted as one passage."""
    documents, grades, highlights = [], {}, {}
    for name, paragraphs in (("d1", 4), ("d2", 2)):
        children = [grow("p", 10 * place, 10 * place + 10) for place in range(paragraphs)]
        root = plant(grow("article", 0, 10 * paragraphs, *children))
        documents.append(Document(name, root.size, root, "x" * root.size))
        highlights[name] = [(child.start, child.end) for child in root.children]
        grades |= {(name, child.path): 2 for child in root.children}
    beps = dict.fromkeys(highlights, 0)
    chunks = [Result(name, start, end) for name, spans in highlights.items() for start, end in spans]
    return Case(
        documents,
        highlights,
        beps=beps,
        grades=grades,
        scale="2005",
        judged=set(highlights),
        chunks=chunks,
    )


def single() -> Case:
    """Return the perfect topic with one relevant paragraph."""
    case = perfect()
    grades = {("d1", "/article[1]/p[1]"): 2}
    return replace(case, highlights={"d1": [(0, 10)]}, grades=grades, beps={"d1": 0}, judged={"d1"})


def gold(case: Case) -> list[Result]:
    """Return the highlighted text as passages without overlap, document by document."""
    spans: list[Result] = []
    for name in case.relevant_documents():
        places = sorted(case.relevant(name))
        starts = [place for place in places if place - 1 not in case.relevant(name)]
        ends = [place + 1 for place in places if place + 1 not in case.relevant(name)]
        spans += [Result(name, start, end) for start, end in zip(starts, ends, strict=True)]
    return spans


def passages(case: Case) -> list[Result]:
    """Return the highlighted passages as they were marked."""
    return [Result(name, start, end) for name, spans in case.highlights.items() for start, end in spans]


def gold_twice(case: Case) -> list[Result]:
    """Return the highlighted text twice, so that every result overlaps another."""
    return [passage for passage in gold(case) for _ in range(2)]


def entry_points(case: Case) -> list[Result]:
    """Return the best entry points."""
    return [Result(name, start, start) for name, start in case.beps.items()]


Run = Callable[[Case], list[Result]]


def base(quant: str = "gen", construction: str | None = None, tie: str = "ancestor") -> Run:
    """Return a run of the full recall base, or of an ideal one, with the highest gain first."""

    def best_first(case: Case) -> list[Result]:
        q = quantiser(case, quant)
        return _results(full_base(q) if construction is None else ideal_base(q, construction, tie))

    return best_first


def roots(case: Case) -> list[Result]:
    """Return the relevant articles with the highest gain first."""
    return _results([target for target in full_base(quantiser(case)) if target.element.path.count("/") == 1])


def highlighted_elements(case: Case) -> list[Result]:
    """Return every element with highlighted text."""
    return _results(full_base(quantiser(case, "spec")))


def _results(targets: list[Target]) -> list[Result]:
    ordered = sorted(targets, key=lambda target: -target.q)
    elements = [(target.doc, target.element) for target in ordered]
    return [Result(doc, element.start, element.end, element.path) for doc, element in elements]


def returning(case: Case, run: Run) -> Case:
    """Return the case with this run."""
    return replace(case, results=run(case))


IdealRun = tuple[str, Run, str]  # the kind of topics, the run, and measures that are 1 for this run


def each_ideal_base(name_measures: Callable[[str], str]) -> list[IdealRun]:
    """Return the runs of the full base and of every ideal base; the argument names measures with options."""
    focused = [
        (construction, tie)
        for construction in ("path", "greedy", "best-sum", "leaves")
        for tie in ("ancestor", "descendant")
    ]
    return [
        ("random", base(), name_measures("task=thorough")),
        *(
            (
                "random",
                base("gen", construction, tie),
                name_measures(f"construction={construction}, tie={tie}"),
            )
            for construction, tie in focused
        ),
    ]


def collect() -> list[IdealRun]:
    """Return the ideal runs that the tests of the families declare as ``IDEAL_RUNS``."""
    here = Path(__file__).parent
    names = [
        ".".join(("measures", *path.relative_to(here).with_suffix("").parts))
        for path in sorted(here.rglob("test_*.py"))
    ]
    modules = [importlib.import_module(name) for name in names]
    return [run for module in modules for run in getattr(module, "IDEAL_RUNS", ())]
