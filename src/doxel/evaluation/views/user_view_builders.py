"""Build the views of users: browsing to targets, entry points, reading on, structural relevance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from doxel.documents.element_forest import find_smallest_elements
from doxel.errors import MeasureError
from doxel.evaluation.inputs.custom_functions import OwnModel
from doxel.evaluation.ranked_run import LocatedRun, RankedRun
from doxel.evaluation.views.gain_view_builders import IDEAL_RANKS, build_tied_levels
from doxel.evaluation.views.result_gains import group_by_turn
from doxel.measures.inex.structural_relevance import Isolation
from doxel.measures.measure_parameters import IDEAL_BASE
from doxel.measures.user_views import Encounters, Entries, EntryDistances, Readings
from doxel.spans import Floats, Ints, concatenate_ranges, sum_by_group
from doxel.usermodels import MODELS, UserModel, find_model
from doxel.usermodels.browsing_models import PlaceColumns, compute_nearness

__all__ = ["build_encounters", "build_entry_distances", "build_isolation", "build_readings", "list_targets"]

_PAIRS_AT_ONCE = 5_000_000


def build_entry_distances(ranked: RankedRun, *, A: float, L: float | None) -> EntryDistances:  # noqa: N803
    """Build the view of distances to best entry points."""
    assessed = ranked.assessed
    best = np.append(assessed.entry_point, -1)[ranked.pair]
    distance = np.abs(ranked.start - best).astype(np.float64)
    near = np.where(
        ranked.found & (best >= 0), compute_nearness(distance, A * ranked.bases.mean_length(L)), 0.0
    )
    return EntryDistances(nearness=ranked.matrix(near), total=assessed.entry_points.astype(float))


def build_readings(ranked: RankedRun, *, T: float, ties: str) -> Readings:  # noqa: N803
    """Build the view of reading on from each result."""
    success = ranked.matrix(_mark_successes(ranked, T))
    columns = np.broadcast_to(np.arange(success.shape[1]), success.shape)
    first, last = columns.copy(), columns.copy()
    first[ranked.topic, ranked.position], last[ranked.topic, ranked.position] = ranked.levels(ties)
    pair = ranked.assessed.passages[0]
    passages = sum_by_group(ranked.assessed.topic[pair], np.ones(len(pair)), len(ranked.assessed.topics))
    return Readings(success, first, last, ranked.length.astype(float), passages)


def _mark_successes(ranked: RankedRun, tolerance: float) -> Floats:
    """Mark the results from which a reader reaches an unseen highlighted passage within the tolerance."""
    pair, start, end = ranked.assessed.passages
    results = np.flatnonzero(ranked.found & (ranked.pair >= 0) & ~ranked.is_repeat)
    stride = 1 + int(max(end.max(initial=0), ranked.start.max(initial=0)))
    own, place = ranked.pair[results], ranked.start[results]
    first = np.searchsorted(pair * stride + end, own * stride + place, side="right")
    # the irrelevant characters before a passage increase from passage to passage
    idle = start - ranked.assessed.relevant_text.covered(pair, np.zeros_like(start), start)
    patience = place - ranked.assessed.relevant_text.covered(own, np.zeros_like(place), place) + tolerance
    stop = np.searchsorted(pair * stride + idle, own * stride + np.minimum(np.ceil(patience), stride - 1))
    success = np.zeros(len(ranked))
    is_seen = np.zeros(len(pair), dtype=bool)
    for turn in group_by_turn(ranked.group[results], np.arange(len(results))):
        count = np.maximum(stop[turn] - first[turn], 0)
        passage = concatenate_ranges(first[turn], count)
        reading = np.repeat(turn, count)
        new = np.flatnonzero(~is_seen[passage])
        reader, at = np.unique(reading[new], return_index=True)
        is_seen[passage[new[at]]] = True
        success[results[reader]] = 1.0
    return success


def build_isolation(ranked: RankedRun, *, summary: str, ties: str, **parameters: Any) -> Isolation:
    """Build the view of structural relevance."""
    levels = build_tied_levels(ranked, ties=ties, base="full", **parameters)
    located = LocatedRun(ranked, ranked.bases.elements)
    result, other = _find_overlapping_pairs(located)
    steady = np.append(ranked.bases.steady(summary), 0.0)[_find_labels(located)]
    return Isolation(
        levels=levels,
        steady=ranked.matrix(steady),
        topic=ranked.topic[result],
        result=ranked.position[result],
        other=ranked.position[other],
    )


def _find_labels(located: LocatedRun) -> Ints:
    """Return the label of each result's element, or of the smallest element around a passage; -1 if none."""
    forest, ranked = located.base.forest, located.ranked
    row = located.row.copy()
    passages = np.flatnonzero(located.is_passage & (located.document >= 0) & (ranked.end > ranked.start))
    start, end = ranked.start[passages], ranked.end[passages]
    holder = find_smallest_elements(forest, located.document[passages], start, end)
    reaches_out = end > np.append(forest.end, 0)[holder]  # extends beyond the root
    row[passages] = np.where(reaches_out, -1, holder)
    return np.append(forest.label, -1)[row]


def _find_overlapping_pairs(located: LocatedRun) -> tuple[Ints, Ints]:
    """Return pairs of different results that overlap, the second at its first rank."""
    ranked, ends = located.ranked, located.base.forest.subtree_end
    pieces: list[tuple[Ints, Ints]] = []
    for result, other in _list_pairs(located):
        shares = (ranked.start[result] < ranked.end[other]) & (ranked.start[other] < ranked.end[result])
        row, around = located.row[result], located.row[other]
        is_empty = (ranked.size[result] == 0) & (row >= 0)
        inside = is_empty & (around >= 0) & (around < row) & (row < ends[around])
        different = (ranked.same_as[result] != ranked.same_as[other]) & ~ranked.is_repeat[other]
        has_text = (ranked.size[result] > 0) & (ranked.size[other] > 0)
        is_pair = different & np.where(is_empty, inside, shares & has_text)
        pieces.append((result[is_pair], other[is_pair]))
    if not pieces:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate([result for result, _ in pieces]), np.concatenate([other for _, other in pieces])


def _list_pairs(located: LocatedRun) -> Iterator[tuple[Ints, Ints]]:
    """Yield all ordered pairs of results in the same document of the base, in blocks."""
    ranked = located.ranked
    rows = np.flatnonzero(located.document >= 0)
    rows = rows[np.argsort(ranked.group[rows], kind="stable")]
    group = ranked.group[rows]
    begin = np.searchsorted(group, group)
    count = np.searchsorted(group, group, side="right") - begin
    several = count > 1
    block = np.cumsum(np.where(several, count, 0)) // _PAIRS_AT_ONCE
    for number in np.unique(block[several]).tolist():
        members = np.flatnonzero(several & (block == number))
        yield (
            np.repeat(rows[members], count[members]),
            rows[concatenate_ranges(begin[members], count[members])],
        )


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
    end: Ints

    def __len__(self) -> int:
        return len(self.topic)


def build_encounters(ranked: RankedRun, *, model: str, ties: str, **parameters: Any) -> Encounters:
    """Build the view for a user model."""
    user_model, targets, settings = _find_targets(ranked, model, parameters)
    entries, ideal, ideal_length = _compute_entries(ranked, user_model, targets, settings)
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
        ideal=ideal,
        ideal_length=ideal_length,
    )


def list_targets(ranked: RankedRun, topic: int, *, model: str, **parameters: Any) -> pl.DataFrame:
    """Return the targets of a topic, the highest weight first."""
    targets = _find_targets(ranked, model, parameters)[1]
    topic_targets = np.flatnonzero(targets.topic == topic)
    topic_targets = topic_targets[np.argsort(-targets.weight[topic_targets], kind="stable")]
    row = targets.row[topic_targets]
    places = {
        "doc": ranked.assessed.pairs["doc"].gather(targets.group[topic_targets]),
        "path": ranked.bases.paths.gather(row) if (row >= 0).any() else [None] * len(row),
        "start": targets.position[topic_targets],
        "end": targets.end[topic_targets],
        "gain": targets.weight[topic_targets],
    }
    return IDEAL_RANKS.fit(pl.DataFrame(places))


def _find_targets(
    ranked: RankedRun, model: str, parameters: Mapping[str, Any]
) -> tuple[UserModel | OwnModel, _Targets, Mapping[str, Any]]:
    """Return a user model by its name, its targets, and its parameters."""
    user_model = ranked.bases.models.get(model) or find_model(model)
    if user_model is None:
        available = ", ".join([*MODELS, *ranked.bases.models])
        raise MeasureError(f"unknown user model {model!r}; available: {available}")
    if isinstance(user_model, UserModel) and user_model.targets == "entry points":
        targets = _find_entry_points(ranked)
        parameters = {**parameters, "L": ranked.bases.mean_length(parameters.get("L"))}
        if parameters.get("A") is None:
            raise MeasureError(
                f"model={model!r} needs A, the distance from which a user still finds an entry point"
            )
    elif isinstance(user_model, UserModel) and user_model.targets == "exact elements":
        targets = _find_exact_elements(ranked, model, parameters["exclude_tags"])
    elif ranked.bases.has_elements:
        targets = _find_base_elements(ranked, parameters)
    else:
        targets = _find_gold_spans(ranked)
    return user_model, targets, parameters


def _find_entry_points(ranked: RankedRun) -> _Targets:
    assessed = ranked.assessed
    pair = np.flatnonzero(assessed.entry_point >= 0)
    pair = pair[np.argsort(assessed.topic[pair], kind="stable")]
    nowhere = np.full(len(pair), -1, dtype=np.int64)
    position = assessed.entry_point[pair]
    return _Targets(assessed.topic[pair], pair, np.ones(len(pair)), nowhere, position, position)


def _find_gold_spans(ranked: RankedRun) -> _Targets:
    """Return the gold spans, merged if they overlap: the targets of texts without elements."""
    pair, start, end = ranked.assessed.passages
    order = np.argsort(ranked.assessed.topic[pair], kind="stable")
    pair, start, end = pair[order], start[order], end[order]
    nowhere = np.full(len(pair), -1, dtype=np.int64)
    return _Targets(ranked.assessed.topic[pair], pair, np.ones(len(pair)), nowhere, start, end)


def _build_element_targets(ranked: RankedRun, rows: Ints, weight: Floats) -> _Targets:
    base = ranked.bases.elements
    order = np.lexsort((rows, base.element_topic[rows]))
    rows = rows[order]
    pair = base.pair[base.forest.document[rows]]
    spans = (base.forest.start[rows], base.forest.end[rows])
    return _Targets(base.element_topic[rows], pair, weight[order], rows, *spans)


def _find_base_elements(ranked: RankedRun, parameters: Mapping[str, Any]) -> _Targets:
    bases = ranked.bases
    quant, exclude_tags = parameters["quant"], parameters["exclude_tags"]
    q = bases.gains(quant, exclude_tags)
    is_target = q > 0
    if parameters["base"] == "ideal":
        rules = {rule.name: parameters[rule.name] for rule in IDEAL_BASE}
        is_target = bases.ideal(quant, exclude_tags, **rules)
    rows = np.flatnonzero(is_target)
    return _build_element_targets(ranked, rows, q[rows])


def _find_exact_elements(ranked: RankedRun, model: str, exclude_tags: str | None) -> _Targets:
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
    return _build_element_targets(ranked, rows, _WEIGHTS_2002[grades.exhaustivity[rows].astype(np.int64)])


def _compute_entries(
    ranked: RankedRun, model: UserModel | OwnModel, targets: _Targets, parameters: Mapping[str, Any]
) -> tuple[Entries, Entries | None, Ints | None]:
    """Return the entries of the run, and the entries and lengths of the model's ideal list."""
    results = np.flatnonzero(ranked.found & ~ranked.is_repeat)
    if isinstance(model, OwnModel):
        return model.entries(ranked, targets, results)
    if model.only_same and ranked.bases.has_elements:
        row = LocatedRun(ranked, ranked.bases.elements).row
        results = results[row[results] >= 0]
        result, target = _match_equal(row[results], targets.row)
    else:
        result, target = _match_equal(ranked.pair[results], targets.group)
    result = results[result]
    words = ranked.bases.words if model.needs_words else None
    chance = model.probability(
        _locate_results(ranked, result, words), _locate_targets(ranked, targets, target, words), parameters
    )
    entries = _sort_entries(ranked.topic[result], ranked.position[result] + 1, target, chance)
    if model.ideal != "targets":
        return entries, None, None
    best = np.lexsort((np.arange(len(targets)), -targets.weight, targets.topic))
    rank = np.empty(len(targets), dtype=np.int64)
    rank[best] = np.arange(len(targets)) - np.searchsorted(targets.topic, targets.topic[best]) + 1
    source, target = _match_equal(targets.group, targets.group)
    places = _locate_targets(ranked, targets, np.arange(len(targets)), words)
    chance = model.probability(places.take(source), places.take(target), parameters)
    ideal = _sort_entries(targets.topic[source], rank[source], target, chance)
    return entries, ideal, np.bincount(targets.topic, minlength=len(ranked.assessed.topics))


def _sort_entries(topic: Ints, rank: Ints, target: Ints, chance: Floats) -> Entries:
    entries = np.flatnonzero(chance > 0)
    entries = entries[np.lexsort((rank[entries], topic[entries]))]
    return Entries(topic[entries], rank[entries], target[entries], chance[entries])


def _match_equal(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of equal members of two lists of documents or elements."""
    order = np.argsort(second, kind="stable")
    begin = np.searchsorted(second[order], first)
    count = np.searchsorted(second[order], first, side="right") - begin
    return np.repeat(np.arange(len(first)), count), order[concatenate_ranges(begin, count)]


def _locate_results(ranked: RankedRun, result: Ints, words: Any) -> PlaceColumns:
    start, end = ranked.start[result], ranked.end[result]
    nowhere = np.full(len(result), -1, dtype=np.int64)
    if words is None and not ranked.is_element.any():
        return PlaceColumns(start, end, *[nowhere] * 7)
    located = LocatedRun(ranked, ranked.bases.elements) if ranked.bases.has_elements else None
    row = nowhere if located is None else located.row[result]
    return _build_places(
        ranked, start, end, row, nowhere if located is None else located.document[result], words
    )


def _locate_targets(ranked: RankedRun, targets: _Targets, target: Ints, words: Any) -> PlaceColumns:
    row, start, end = targets.row[target], targets.position[target], targets.end[target]
    if not (targets.row >= 0).all():
        return _build_places(ranked, start, end, row, np.full(len(row), -1, dtype=np.int64), None)
    return _build_places(ranked, start, end, row, ranked.bases.elements.forest.document[row], words)


def _build_places(
    ranked: RankedRun, start: Ints, end: Ints, row: Ints, document: Ints, words: Any
) -> PlaceColumns:
    nowhere = np.full(len(start), -1, dtype=np.int64)
    last = coverage = parent = before_start = before_end = nowhere
    if (row >= 0).any():
        base = ranked.bases.elements
        last = np.where(row >= 0, base.forest.subtree_end[row], -1)
        parent = np.where(row >= 0, base.tree.parent[row], -1)
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
        parent=parent,
    )
