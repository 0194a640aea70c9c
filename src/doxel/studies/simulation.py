"""Simulated data: stereotypical systems that know the assessments, and random grades.

Stereotypical systems (source 003, section 4): the relevant elements are those of exact coverage that are not
inside another such element (2002), or the ideal recall base (all other scales).  A system returns them, or
elements near them, with the score 1, 0.5 or 0 for highly, fairly or marginally relevant ones; equal scores
are ties, in document order.

Random grades on the scale of 2002 are for collections without assessments.  For each topic, a few documents
get one to three disjoint elements of exact coverage and moderate size (a hundredth to a quarter of the
document, at least 150 characters), graded 1, 2 or 3.  Their ancestors are too large and as relevant as the
best exact element inside; some of their children with at least 40 characters are graded too small and one
grade less relevant; all other elements stay ungraded.  The grades have no meaning: they give measures
documents of realistic structure to work on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import ELEMENTS, JUDGED, Assessments
from doxel.assessments.judged_pairs import lay_out_assessments
from doxel.documents import Collection, Forest
from doxel.errors import InputError
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.evaluation.inputs.token_counts import WordCounts
from doxel.quantisation import find_quantisation
from doxel.recallbases import ElementBase, build_element_base, choose_ideal
from doxel.runs import RESULTS, Run
from doxel.spans import Floats, Ints

__all__ = ["SYSTEMS", "generate_grades", "simulate_system"]

_EXACT = 3.0
_NOISE = 0.3  # share of replaced results of the noisy system


@dataclass(frozen=True)
class _World:
    """The knowledge of a simulated system: the elements, the relevant ones, and how relevant they are."""

    base: ElementBase
    relevant: Ints
    score: Floats
    words: Callable[[Ints], Ints]
    random: np.random.Generator


def _simulate_perfect(world: _World) -> tuple[Ints, Floats]:
    return world.relevant, world.score


def _simulate_document(world: _World) -> tuple[Ints, Floats]:
    return world.base.forest.first[world.base.forest.document[world.relevant]], world.score


def _simulate_parent(world: _World) -> tuple[Ints, Floats]:
    above = world.base.tree.parent[world.relevant]
    return np.where(above >= 0, above, world.relevant), world.score


def _simulate_ancestors(world: _World) -> tuple[Ints, Floats]:
    rows, scores = [world.relevant], [world.score]
    above = world.base.tree.parent[world.relevant]
    while (above >= 0).any():
        inner = above >= 0
        rows.append(above[inner])
        scores.append(world.score[inner])
        above = np.where(inner, world.base.tree.parent[above], -1)
    return np.concatenate(rows), np.concatenate(scores)


def _simulate_biggest_child(world: _World) -> tuple[Ints, Floats]:
    """Return the child with the most words, the first of several; an element without children itself."""
    parent = world.base.tree.parent
    children = np.flatnonzero(np.isin(parent, world.relevant))
    order = np.lexsort((children, -world.words(children), parent[children]))
    owners, first = np.unique(parent[children][order], return_index=True)
    biggest = np.arange(len(parent))
    biggest[owners] = children[order][first]
    return biggest[world.relevant], world.score


def _simulate_random(world: _World) -> tuple[Ints, Floats]:
    rows = world.random.permutation(len(world.base.forest))
    return rows, world.random.random(len(rows))


def _simulate_reversed_perfect(world: _World) -> tuple[Ints, Floats]:
    return world.relevant, 1.0 - world.score


def _simulate_noisy_perfect(world: _World) -> tuple[Ints, Floats]:
    """Replace some relevant elements by others of the same document, and add noise to the scores."""
    rows = world.relevant.copy()
    replaced = world.random.random(len(rows)) < _NOISE
    document = world.base.forest.document[rows]
    first, count = world.base.forest.first[document], np.diff(world.base.forest.first)[document]
    other = first + (world.random.random(len(rows)) * count).astype(np.int64)
    return np.where(replaced, other, rows), world.score + world.random.normal(0.0, 0.25, len(rows))


SYSTEMS: dict[str, Callable[[_World], tuple[Ints, Floats]]] = {
    "perfect": _simulate_perfect,
    "document": _simulate_document,
    "parent": _simulate_parent,
    "ancestors": _simulate_ancestors,
    "biggest-child": _simulate_biggest_child,
    "random": _simulate_random,
    "reversed-perfect": _simulate_reversed_perfect,
    "noisy-perfect": _simulate_noisy_perfect,
}


def simulate_system(
    system: str,
    assessments: Assessments,
    collection: Collection,
    *,
    seed: int = 0,
    limit: int = 1000,
) -> Run:
    """Return the run of a stereotypical system; the same seed gives the same run."""
    if system not in SYSTEMS:
        raise InputError("a system", wanted=f"one of {', '.join(SYSTEMS)}", found=repr(system))
    if limit < 1:
        raise InputError("limit", wanted="a whole number from 1", found=str(limit))
    check_resampling(seed=seed)
    assessments = resolve_assessments(assessments, collection)
    assessed = lay_out_assessments(assessments, declared_sizes=False)
    base = build_element_base(assessments, assessed, collection)
    numbers = collection.numbers(assessed.pairs["doc"])[base.pair]
    relevant, score = _find_relevant(base)
    rows, scores = SYSTEMS[system](
        _World(
            base, relevant, score, _make_word_counter(base, collection, numbers), np.random.default_rng(seed)
        )
    )
    rows, scores = _keep_best_scores(rows, scores)
    topic = base.element_topic[rows]
    order = np.lexsort((rows, -scores, topic))
    rows, scores, topic = rows[order], scores[order], topic[order]
    rank = np.arange(len(rows)) - np.searchsorted(topic, topic) + 1
    within_limit = np.flatnonzero(rank <= limit)
    rows, scores, topic, rank = (
        rows[within_limit],
        scores[within_limit],
        topic[within_limit],
        rank[within_limit],
    )
    results = pl.DataFrame(
        {
            "topic": pl.Series(assessed.topics, dtype=pl.String).gather(topic),
            "doc": assessed.pairs["doc"].gather(base.pair[base.forest.document[rows]]),
            "rank": rank,
            "rsv": scores,
            "path": base.forest.paths().gather(rows),
        }
    )
    return Run(system, RESULTS.fit(results), task="thorough")


def _find_relevant(base: ElementBase) -> tuple[Ints, Floats]:
    """Return the relevant elements, and their scores 1, 0.5 and 0."""
    grades = base.grades
    if grades.scale == "2002":
        exact = (grades.specificity == _EXACT) & (grades.exhaustivity > 0)
        rows = np.flatnonzero(exact & ~base.tree.below(exact))
        return rows, (grades.exhaustivity[rows] - 1.0) / 2.0
    quantise = find_quantisation("gen", grades.scale)
    gain = quantise(grades)
    rows = np.flatnonzero(choose_ideal(gain, base.tree))
    # thirds of the scale correspond to highly, fairly and marginally relevant
    level = np.ceil(3.0 * gain[rows] / quantise.highest - 1e-12)
    return rows, (level - 1.0) / 2.0


def _keep_best_scores(rows: Ints, scores: Floats) -> tuple[Ints, Floats]:
    """Return each element once, with its best score."""
    order = np.lexsort((-scores, rows))
    distinct, first = np.unique(rows[order], return_index=True)
    return distinct, scores[order][first]


def _make_word_counter(base: ElementBase, collection: Collection, numbers: Ints) -> Callable[[Ints], Ints]:
    def count(rows: Ints) -> Ints:
        words = WordCounts(base, collection, numbers)
        document = base.forest.document[rows]
        return words.before(document, base.forest.end[rows]) - words.before(document, base.forest.start[rows])

    return count


_SMALLEST, _LOW, _HIGH = 150, 0.01, 0.25  # size of an exact element: characters, shares of the document
_CHILD = 40  # fewest characters of a graded child
_MOST = 3  # most exact elements per document
_CHANCES = (0.4, 0.3, 0.3)  # probabilities of relevance 1, 2, 3


def generate_grades(
    collection: Collection,
    *,
    topics: int = 25,
    documents: int = 6,
    graded_children: float = 0.5,
    seed: int = 0,
) -> Assessments:
    """Return grades for ``topics`` topics with ``documents`` documents each, the same for the same seed.

    ``graded_children`` is the share of children of exact elements that are graded.
    """
    if not 0 <= graded_children <= 1 or topics < 1 or documents < 1:
        raise InputError("simulated grades", wanted="topics and documents from 1, a share from 0 to 1")
    random = np.random.default_rng(seed)
    names = collection.documents["doc"].to_list()
    elements: list[dict[str, object]] = []
    judged: list[dict[str, object]] = []
    for topic in range(1, topics + 1):
        for number in random.choice(len(names), min(documents, len(names)), replace=False):
            row = {"topic": str(topic), "doc": names[number]}
            judged.append(row)
            grades = _grade_document(collection.forest([int(number)]), random, graded_children)
            elements += [{**row, **graded} for graded in grades]
    if not elements:
        raise InputError("simulated grades", wanted="documents with elements of moderate size", found="none")
    return Assessments(
        "2002", JUDGED.from_rows(judged), elements=ELEMENTS.from_rows(elements), format="inex2002"
    )


def _grade_document(forest: Forest, random: np.random.Generator, share: float) -> Iterator[dict[str, object]]:
    """Yield the graded elements of one document, in document order."""
    size = forest.end - forest.start
    whole = max(1, int(size[0]))
    fits = (size >= max(_SMALLEST, _LOW * whole)) & (size <= _HIGH * whole) & (forest.parent >= 0)
    grades: dict[int, tuple[int, str]] = {}
    for element in _choose_disjoint(
        forest, random.permutation(np.flatnonzero(fits)), int(random.integers(1, _MOST + 1))
    ):
        relevance = int(random.choice(3, p=_CHANCES)) + 1
        grades[element] = relevance, "E"
        inside = np.arange(element + 1, forest.subtree_end[element])
        for child in inside[(forest.parent[inside] == element) & (size[inside] >= _CHILD)]:
            if random.random() < share:
                grades[int(child)] = max(1, relevance - 1), "S"
        above = int(forest.parent[element])
        while above >= 0:
            grades[above] = max(relevance, grades.get(above, (0, "L"))[0]), "L"
            above = int(forest.parent[above])
    for element in sorted(grades):
        relevance, coverage = grades[element]
        yield {"path": forest.path(element), "relevance": str(relevance), "coverage": coverage}


def _choose_disjoint(forest: Forest, candidates: np.ndarray, count: int) -> list[int]:
    selected: list[int] = []
    for element in candidates.tolist():
        if len(selected) == count:
            break
        last = forest.subtree_end[element]
        if all(last <= other or element >= forest.subtree_end[other] for other in selected):
            selected.append(element)
    return selected
