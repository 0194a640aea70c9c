"""Random grades on the scale of 2002, for collections without assessments.

For each topic, a few documents get one to three disjoint elements of exact coverage and moderate size (a
hundredth to a quarter of the document, at least 150 characters), graded 1, 2 or 3.  Their ancestors are too
large and as relevant as the best exact element inside; some of their children with at least 40 characters
are graded too small and one grade less relevant; all other elements stay ungraded.  The grades have no
meaning: they give measures documents of realistic structure to work on.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from doxel.assessments import Assessments
from doxel.assessments.assessments import ELEMENTS, JUDGED
from doxel.documents import Collection, Forest
from doxel.errors import InputError

__all__ = ["simulated_grades"]

_SMALLEST, _LOW, _HIGH = 150, 0.01, 0.25  # size of an exact element: characters, shares of the document
_CHILD = 40  # fewest characters of a graded child
_MOST = 3  # most exact elements per document
_CHANCES = (0.4, 0.3, 0.3)  # probabilities of relevance 1, 2, 3


def simulated_grades(
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
            grades = _graded(collection.forest([int(number)]), random, graded_children)
            elements += [{**row, **graded} for graded in grades]
    if not elements:
        raise InputError("simulated grades", wanted="documents with elements of moderate size", found="none")
    return Assessments(
        "2002", JUDGED.from_rows(judged), elements=ELEMENTS.from_rows(elements), format="inex2002"
    )


def _graded(forest: Forest, random: np.random.Generator, share: float) -> Iterator[dict[str, object]]:
    """Yield the graded elements of one document, in document order."""
    size = forest.end - forest.start
    whole = max(1, int(size[0]))
    fits = (size >= max(_SMALLEST, _LOW * whole)) & (size <= _HIGH * whole) & (forest.parent >= 0)
    grades: dict[int, tuple[int, str]] = {}
    for element in _disjoint(
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


def _disjoint(forest: Forest, candidates: np.ndarray, count: int) -> list[int]:
    selected: list[int] = []
    for element in candidates.tolist():
        if len(selected) == count:
            break
        last = forest.subtree_end[element]
        if all(last <= other or element >= forest.subtree_end[other] for other in selected):
            selected.append(element)
    return selected
