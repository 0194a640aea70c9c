"""Build the view of users who browse: targets, and the results that lead to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxel.errors import MeasureError
from doxel.evaluation.located import Located
from doxel.evaluation.own_models import OwnModel
from doxel.evaluation.ranked import Ranked
from doxel.measures.user_views import Encounters, Entries
from doxel.spans import Floats, Ints, concatenate_ranges
from doxel.usermodels import MODELS, UserModel
from doxel.usermodels.browsing_models import PlaceColumns

__all__ = ["encounters"]


_WEIGHTS_2002 = np.array([0.0, 0.25, 0.5, 1.0])  # 1E, 2E, 3E (003, section 3.4)
_EXACT = 3.0


@dataclass(frozen=True)
class _Targets:
    """Targets sorted by topic; ``group`` is their document, ``row`` their element, if any."""

    topic: Ints
    group: Ints
    weight: Floats
    row: Ints
    position: Ints

    def __len__(self) -> int:
        return len(self.topic)


def encounters(ranked: Ranked, *, model: str, ties: str, **parameters: Any) -> Encounters:
    """Build the view for a user model."""
    user_model = ranked.bases.models.get(model) or MODELS.get(model)
    if user_model is None:
        available = ", ".join([*MODELS, *ranked.bases.models])
        raise MeasureError(f"unknown user model {model!r}; available: {available}")
    if isinstance(user_model, UserModel) and user_model.targets == "entry points":
        targets = _entry_points(ranked)
        parameters = {**parameters, "L": ranked.bases.mean_length(parameters.get("L"))}
        if parameters.get("A") is None:
            raise MeasureError(
                f"model={model!r} needs A, the distance from which a user still finds an entry point"
            )
    elif isinstance(user_model, UserModel) and user_model.targets == "exact elements":
        targets = _exact_elements(ranked, model, parameters["exclude_tags"])
    else:
        targets = _base_elements(ranked, parameters)
    entries, ideal, ideal_length = _entries(ranked, user_model, targets, parameters)
    shape = (len(ranked.assessed.topics), int(ranked.length.max(initial=0)))
    first, last = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    first[ranked.topic, ranked.position], last[ranked.topic, ranked.position] = ranked.levels(ties)
    return Encounters(
        entries=entries,
        target_topic=targets.topic,
        weight=targets.weight,
        first=first,
        last=last,
        length=ranked.length,
        has_units=isinstance(user_model, UserModel) and user_model.ideal == "units",
        ideal=ideal,
        ideal_length=ideal_length,
    )


def _entry_points(ranked: Ranked) -> _Targets:
    assessed = ranked.assessed
    pair = np.flatnonzero(assessed.entry_point >= 0)
    pair = pair[np.argsort(assessed.topic[pair], kind="stable")]
    nowhere = np.full(len(pair), -1, dtype=np.int64)
    return _Targets(assessed.topic[pair], pair, np.ones(len(pair)), nowhere, assessed.entry_point[pair])


def _of_rows(ranked: Ranked, rows: Ints, weight: Floats) -> _Targets:
    base = ranked.bases.elements
    order = np.lexsort((rows, base.element_topic[rows]))
    rows = rows[order]
    pair = base.pair[base.forest.document[rows]]
    return _Targets(base.element_topic[rows], pair, weight[order], rows, base.forest.start[rows])


def _base_elements(ranked: Ranked, parameters: Mapping[str, Any]) -> _Targets:
    bases = ranked.bases
    quant, exclude_tags = parameters["quant"], parameters["exclude_tags"]
    q = bases.gains(quant, exclude_tags)
    is_target = q > 0
    if parameters["base"] == "ideal":
        is_target = bases.ideal(quant, exclude_tags, parameters["construction"], parameters["tie"])
    rows = np.flatnonzero(is_target)
    return _of_rows(ranked, rows, q[rows])


def _exact_elements(ranked: Ranked, model: str, exclude_tags: str | None) -> _Targets:
    """Return the elements of exact coverage that are not inside another such element."""
    bases = ranked.bases
    if bases.scale != "2002":
        raise MeasureError(
            f'model="{model}" needs grades of relevance and coverage (2002); '
            f"these assessments are on the scale of {bases.scale}"
        )
    grades = bases.elements.grades
    exact = (grades.specificity == _EXACT) & (grades.exhaustivity > 0)
    rows = np.flatnonzero(exact & ~bases.elements.tree.below(exact) & ~bases.excluded(exclude_tags))
    return _of_rows(ranked, rows, _WEIGHTS_2002[grades.exhaustivity[rows].astype(np.int64)])


def _entries(
    ranked: Ranked, model: UserModel | OwnModel, targets: _Targets, parameters: Mapping[str, Any]
) -> tuple[Entries, Entries | None, Ints | None]:
    """Return the entries of the run, and the entries and lengths of the model's ideal list."""
    results = np.flatnonzero(ranked.found & ~ranked.is_repeat)
    if isinstance(model, OwnModel):
        return model.entries(ranked, targets, results)
    if model.only_same and ranked.bases.has_elements:
        row = Located(ranked, ranked.bases.elements).row
        results = results[row[results] >= 0]
        result, target = _same(row[results], targets.row)
    else:
        result, target = _same(ranked.pair[results], targets.group)
    result = results[result]
    words = ranked.bases.words if model.needs_words else None
    chance = model.probability(
        _result_places(ranked, result, words), _target_places(ranked, targets, target, words), parameters
    )
    entries = _sorted(ranked.topic[result], ranked.position[result] + 1, target, chance)
    if model.ideal != "targets":
        return entries, None, None
    best = np.lexsort((np.arange(len(targets)), -targets.weight, targets.topic))
    rank = np.empty(len(targets), dtype=np.int64)
    rank[best] = np.arange(len(targets)) - np.searchsorted(targets.topic, targets.topic[best]) + 1
    source, target = _same(targets.group, targets.group)
    places = _target_places(ranked, targets, np.arange(len(targets)), words)
    chance = model.probability(places.take(source), places.take(target), parameters)
    ideal = _sorted(targets.topic[source], rank[source], target, chance)
    return entries, ideal, np.bincount(targets.topic, minlength=len(ranked.assessed.topics))


def _sorted(topic: Ints, rank: Ints, target: Ints, chance: Floats) -> Entries:
    entries = np.flatnonzero(chance > 0)
    entries = entries[np.lexsort((rank[entries], topic[entries]))]
    return Entries(topic[entries], rank[entries], target[entries], chance[entries])


def _same(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of equal members of two lists of documents or elements."""
    order = np.argsort(second, kind="stable")
    begin = np.searchsorted(second[order], first)
    count = np.searchsorted(second[order], first, side="right") - begin
    return np.repeat(np.arange(len(first)), count), order[concatenate_ranges(begin, count)]


def _result_places(ranked: Ranked, result: Ints, words: Any) -> PlaceColumns:
    start, end = ranked.start[result], ranked.end[result]
    nothing = np.full(len(result), -1, dtype=np.int64)
    if words is None and not ranked.is_element.any():
        return PlaceColumns(start, end, nothing, nothing, nothing, nothing, nothing, nothing)
    located = Located(ranked, ranked.bases.elements) if ranked.bases.has_elements else None
    row = nothing if located is None else located.row[result]
    return _places(ranked, start, end, row, nothing if located is None else located.document[result], words)


def _target_places(ranked: Ranked, targets: _Targets, target: Ints, words: Any) -> PlaceColumns:
    row, start = targets.row[target], targets.position[target]
    if not (targets.row >= 0).all():
        return _places(ranked, start, start, row, np.full(len(row), -1, dtype=np.int64), None)
    forest = ranked.bases.elements.forest
    return _places(ranked, start, forest.end[row], row, forest.document[row], words)


def _places(ranked: Ranked, start: Ints, end: Ints, row: Ints, document: Ints, words: Any) -> PlaceColumns:
    nothing = np.full(len(start), -1, dtype=np.int64)
    last = coverage = before_start = before_end = nothing
    if (row >= 0).any():
        base = ranked.bases.elements
        last = np.where(row >= 0, base.forest.subtree_end[row], -1)
        coverage = np.where(row >= 0, base.grades.specificity[row].astype(np.int64), -1)
    if words is not None:
        before_start, before_end = words.before(document, start), words.before(document, end)
    return PlaceColumns(
        start=start,
        end=end,
        row=row,
        last=last,
        words=before_end - before_start,
        words_before_start=before_start,
        words_before_end=before_end,
        coverage=coverage,
    )
