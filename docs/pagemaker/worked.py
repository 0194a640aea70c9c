"""Worked examples: small cases that doxel scores while the pages are built.

Tree A is a document of 1000 characters, small enough to check by hand. The articles in context are a few
documents of which only sizes and highlights matter. The demo is the bundled campaign.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import doxel
from doxel.campaign import write_demo
from doxel.errors import DoxelError
from doxel.evaluation.inputs.measure_sets import expand_sets
from pagemaker import rst

__all__ = [
    "Case",
    "Example",
    "articles_in_context",
    "demo",
    "graded_tree_a",
    "scores_table",
    "tree_a",
    "work_example",
]

_CLOSE = 1e-12  # a score this close to a small fraction is also shown as a fraction
_SMALL = 1000

TREE_A = {
    "A": ("/article[1]", 0, 1000),
    "S1": ("/article[1]/section[1]", 0, 400),
    "p1": ("/article[1]/section[1]/p[1]", 0, 200),
    "p2": ("/article[1]/section[1]/p[2]", 200, 400),
    "S2": ("/article[1]/section[2]", 400, 1000),
    "p3": ("/article[1]/section[2]/p[1]", 400, 700),
    "p4": ("/article[1]/section[2]/p[2]", 700, 1000),
}
_HIGHLIGHTS = ((0, 200), (400, 850))
_EXHAUSTIVITY = {"A": 2, "S1": 2, "p1": 2, "S2": 1, "p3": 1, "p4": 1}
_PASSAGES = """\
  <passage start="/article[1]/section[1]/p[1]" end="/article[1]/section[1]/p[1]" size="200"/>
  <passage start="/article[1]/section[2]/p[1]" end="/article[1]/section[2]/p[2]/text()[1].150" size="450"/>
"""
_RUNS_A = {
    "paragraphs": "p1 p3 p4",
    "sections": "S2 S1",
    "document": "A",
    "nested": "p4 S2 p1",
}

_QRELS = """\
1 Q0 A 100 1000 150 150:100
1 Q0 B 300 400 0 0:200 300:100
1 Q0 C 0 500
1 Q0 D 50 200 20 20:50
2 Q0 E 80 100 10 10:80
2 Q0 F 0 300
"""
_RUNS_IN_CONTEXT = {
    "passages": "1 A 100 200, 1 A 220 300, 1 C 0 100, 1 B 0 400, 2 F 0 50, 2 E 0 100",
    "whole articles": "1 A 0 1000, 1 B 0 400, 1 C 0 500, 1 D 0 200, 2 E 0 100, 2 F 0 300",
    "interleaved": "1 A 100 200, 1 B 0 200, 1 A 220 300, 2 E 0 100",
    "entry points": "1 A 150 150, 1 C 0 0, 1 B 120 120, 1 D 80 80, 2 E 10 10",
}


@dataclass(frozen=True)
class Case:
    """Runs and assessments to score, and reStructuredText that describes them."""

    name: str
    shown: str
    runs: Any
    assessments: Any
    collection: doxel.Collection | None = None
    by_hand: bool = True  # small enough to check: show scores as fractions, too
    tasks: Mapping[str, str] = field(default_factory=dict)  # declared by the runs, if they differ
    chunks: Sequence[tuple[str, int, int]] | None = None  # all chunks, for reference choices

    def evaluate(self, measures: Sequence[str]) -> doxel.Evaluation:
        """Score the runs."""
        return doxel.evaluate(
            self.runs, self.assessments, list(measures), collection=self.collection, chunks=self.chunks
        )


def tree_a(folder: Path) -> Case:
    """Ingest tree A, and return it as a case."""
    source = folder / "tree-a.xml"
    paragraphs = {name: _filler(end - start) for name, (_, start, end) in TREE_A.items() if name[0] == "p"}
    first, second = (
        "".join(f"<p>{paragraphs[name]}</p>" for name in names) for names in (("p1", "p2"), ("p3", "p4"))
    )
    source.write_text(f"<article><section>{first}</section><section>{second}</section></article>")
    doxel.ingest(source, folder / "tree-a.doxel")
    runs = {
        name: [{"topic": "1", "doc": "tree-a", "path": TREE_A[node][0]} for node in results.split()]
        for name, results in _RUNS_A.items()
    }
    return Case(
        "Tree A",
        f"{_shown_tree()}\n\n{_shown_runs(_RUNS_A)}",
        runs,
        [("1", "tree-a", start, end) for start, end in _HIGHLIGHTS],
        doxel.read_collection(folder / "tree-a.doxel"),
        chunks=[("tree-a", start, end) for name, (_, start, end) in TREE_A.items() if name[0] == "p"],
    )


def graded_tree_a(plain: Case, folder: Path) -> Case:
    """Return tree A with grades of exhaustivity on the scale of 2005, as a case."""
    elements = "".join(
        f'  <element path="{TREE_A[name][0]}" exhaustivity="{grade}"'
        f' size="{_size(name)}" rsize="{_relevant(name)}"/>\n'
        for name, grade in _EXHAUSTIVITY.items()
    )
    source = folder / "tree-a-2005.xml"
    inside = f' <file name="tree-a">\n{_PASSAGES}{elements} </file>\n'
    source.write_text(f'<assessments pool="1" topic="1">\n{inside}</assessments>\n')
    grade_list = ", ".join(f"{name} {grade}" for name, grade in _EXHAUSTIVITY.items())
    grades = f"Exhaustivity, on the scale of 2005 (0 to 2): {grade_list}."
    return replace(plain, shown=f"{plain.shown}\n\n{grades}", assessments=doxel.read_assessments(source))


def _size(name: str) -> int:
    _, start, end = TREE_A[name]
    return end - start


def _relevant(name: str) -> int:
    _, start, end = TREE_A[name]
    return sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in _HIGHLIGHTS)


def _filler(size: int) -> str:
    words = "the quick brown fox jumps over the lazy dog and goes home "
    return (words * (size // len(words) + 1))[: size - 1] + "."


def _shown_tree() -> str:
    rows = []
    for name, (path, start, end) in TREE_A.items():
        share = Fraction(_relevant(name), _size(name))
        rows.append((name, rst.literal(path), f"[{start}, {end})", str(_relevant(name)), str(share)))
    caption = "Tree A: a document of 1000 characters, of which [0, 200) and [400, 850) are highlighted"
    header = ("element", "path", "span", "highlighted", "specificity")
    return rst.table(header, rows, caption=caption, numeric=True)


def _shown_runs(runs: Mapping[str, str]) -> str:
    items = [f"*{name}*: {results}" for name, results in runs.items()]
    return f"The runs, best result first: {'; '.join(items)}."


def articles_in_context(folder: Path) -> Case:
    """Return articles with highlights and best entry points, as a case."""
    qrels = folder / "in-context.qrels"
    qrels.write_text(_QRELS)
    runs = {
        name: [_span(result) for result in results.split(", ")] for name, results in _RUNS_IN_CONTEXT.items()
    }
    lines = "".join(f"   {line}\n" for line in _QRELS.splitlines())
    before = f"The assessments (topic, document, relevant size, size, entry point, passages)::\n\n{lines}"
    spans = {
        name: ", ".join(
            f"{topic}: {doc} [{start}, {end})" for topic, doc, start, end in map(_span, results.split(", "))
        )
        for name, results in _RUNS_IN_CONTEXT.items()
    }
    return Case("Articles in context", f"{before}\n{_shown_runs(spans)}", runs, doxel.read_assessments(qrels))


def _span(result: str) -> tuple[str, str, int, int]:
    topic, doc, start, end = result.split()
    return topic, doc, int(start), int(end)


@dataclass(frozen=True)
class Example:
    """A case with its scores; ``measures`` are the columns."""

    case: Case
    measures: tuple[str, ...]
    outcome: doxel.Evaluation


def work_example(cases: Sequence[Case], measures: Sequence[str]) -> Example:
    """Score the first case on which all measures can be computed."""
    problems: list[str] = []
    for case in cases:
        try:
            outcome = case.evaluate(measures)
        except DoxelError as error:
            problems.append(f"{case.name}: {error}")
            continue
        if outcome.scores["score"].is_not_nan().any():
            return Example(case, tuple(measure.name for measure in expand_sets(list(measures))), outcome)
    raise ValueError(f"no case for {', '.join(measures)}: {'; '.join(problems) or 'no score'}")


def demo(folder: Path) -> tuple[Case, Case]:
    """Write the bundled campaign, and return it as cases: with highlights, and with exhaustivity."""
    files = write_demo(folder / "demo")
    topics = len(doxel.read_assessments(files.assessments["qrels"]).topics)
    runs = [path for path in files.runs if "invalid" not in path.name]
    description = (
        f"The campaign that ``doxel demo`` writes: {len(runs)} runs of different methods, {topics} assessed "
        "topics, and the handbook as collection. Scores are means over topics. Each run is scored in the "
        "task that it declares (without one, Focused); scores of different tasks are not comparable."
    )
    collection = doxel.read_collection(files.collection)
    plain = Case(
        "The demo campaign",
        description,
        runs,
        files.assessments["qrels"],
        collection,
        by_hand=False,
        chunks=_fixed_chunks(collection),
        tasks={run.id: run.task or "" for run in map(doxel.read_run, runs)},
    )
    return plain, replace(plain, assessments=files.assessments["inex2005"])


def _fixed_chunks(collection: doxel.Collection, size: int = 500) -> list[tuple[str, int, int]]:
    """Cut all documents into chunks of equal size."""
    lengths = collection.documents.select("doc", "characters").iter_rows()
    return [
        (doc, start, min(start + size, length)) for doc, length in lengths for start in range(0, length, size)
    ]


def scores_table(example: Example) -> str:
    """Return a table of means with one row per run, and a list of the rejected runs."""
    case, outcome = example.case, example.outcome
    means = {(run, measure): score for run, measure, score, *_ in outcome.means.iter_rows()}
    reasons = {(rejection.run, rejection.measure): rejection.reason for rejection in outcome.rejected}
    runs = (
        list(case.runs) if isinstance(case.runs, Mapping) else sorted({run for run, _ in (*means, *reasons)})
    )
    rows = [
        [
            rst.escape(run),
            *([case.tasks.get(run, "")] if case.tasks else []),
            *(_score(means.get((run, name)), fraction=case.by_hand) for name in example.measures),
        ]
        for run in runs
        if any((run, name) in means for name in example.measures)
    ]
    header = ["run", *(["task"] if case.tasks else []), *map(rst.literal, example.measures)]
    table = rst.table(header, rows, caption=f"{case.name}: scores", numeric=True)
    return f"{table}\n\n{_rejections(reasons)}"


def _rejections(reasons: Mapping[tuple[str, str], str]) -> str:
    """List the rejected runs, grouped by reason."""
    runs_by_reason: dict[str, dict[str, None]] = {}
    for (run, _), reason in reasons.items():
        runs_by_reason.setdefault(reason.partition(":")[0], {})[run] = None
    clauses = [f"{', '.join(runs)} ({reason})" for reason, runs in runs_by_reason.items()]
    return rst.escape(f"Rejected: {'; '.join(clauses)}.") if clauses else ""


def _score(score: float | None, *, fraction: bool) -> str:
    if score is None:
        return "rejected"
    if math.isnan(score):
        return "undefined"
    if math.isinf(score):
        return "never"
    text = f"{score:.4f}"
    near = Fraction(score).limit_denominator(_SMALL)
    is_exact = near.denominator > 1 and abs(float(near) - score) < _CLOSE
    return f"{text} = {near}" if fraction and is_exact and len(str(near)) < len(text) + 2 else text
