"""Find elements by their paths, in many documents at once.

A run names the same paths in many documents, and mostly the same paths as other runs.  Therefore each
distinct path is parsed once, as its parent and its last step, and each parent is looked up once per document.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.documents.element_forest import Forest, LabelPaths
from doxel.documents.element_paths import STEP_REGEX
from doxel.documents.tree_arrays import MAX_DEPTH
from doxel.spans import Booleans, Ints, sort_stably, sort_with_rows

__all__ = ["ChildIndex", "KnownPaths", "SortedTable", "number_values"]

_STEP_BITS = 28  # of the step in the key of a child: more distinct steps do not fit into memory
_FEW = 16  # for at most this number of values, a dictionary takes a tenth of the time of a join


class ChildIndex:
    """Finds elements by path: all rows of a forest, sorted by label path and then by row.

    The children of an element with a given name are the elements of one label path (ignoring namespaces)
    among its descendants.  In this order they are neighbours, so neither parents nor depths are needed.
    """

    def __init__(self, forest: Forest) -> None:
        # not the forest itself: a reference to it would be a cycle and keep it in memory
        self._first, self._subtree_end = forest.first, forest.subtree_end
        group = forest.labels.path_ids[forest.label]
        row = sort_stably(group)
        self._key = group[row] * (len(forest) + 1) + row
        has_root = np.diff(forest.first) > 0
        # the last entry is for paths without a document
        self._root_group = np.append(np.where(has_root, np.append(group, -1)[forest.first[:-1]], -1), -1)
        self._paths = KnownPaths(forest.labels)
        self._document_bits = len(has_root).bit_length()
        self._parents = SortedTable(
            np.int64
        )  # the rows of paths in documents; the key is a path and a document
        self._new_parents: list[tuple[Ints, Ints]] = []
        self._lock = Lock()

    def locate(self, document: Ints, paths: pl.Series) -> tuple[Ints, bool]:
        """Return the row of each path in its document, -1 where it names no element.

        ``document`` is the number of each path's document in the forest, -1 for none.  Also return whether
        all paths have a position at every step and no namespace prefixes.
        """
        row = np.full(len(paths), -1, dtype=np.int64)
        with self._lock:
            path = self._paths.number(paths)
            known_paths = np.flatnonzero((self._root_group[document] >= 0) & (self._paths.group[path] >= 0))
            row[known_paths] = self._find_rows(path[known_paths], document[known_paths])
            self._keep_parents()
            return row, bool(self._paths.is_canonical[path].all())

    def _find_rows(self, path: Ints, document: Ints) -> Ints:
        """Return the row of each path in its document, -1 if there is none."""
        paths, row = self._paths, np.empty(len(path), dtype=np.int64)
        above = paths.parent[path]
        roots, inner = np.flatnonzero(above == 0), np.flatnonzero(above > 0)
        if len(roots):
            row[roots] = self._find_roots(path[roots], document[roots])
        if len(inner):
            parent = self._find_parents(above[inner], document[inner])
            row[inner] = self._find_children(parent, paths.group[path[inner]], paths.position[path[inner]])
        return row

    def _find_roots(self, path: Ints, document: Ints) -> Ints:
        """Return the root of each document, -1 if it has another path."""
        is_root = (self._root_group[document] == self._paths.group[path]) & (self._paths.position[path] == 1)
        return np.where(is_root, self._first[document], -1)

    def _find_parents(self, path: Ints, document: Ints) -> Ints:
        """Return the row of each path in its document, and keep it for the next results below it."""
        pair, index = _number_distinct((path << self._document_bits) + document)
        row, is_known = self._parents.find(pair)
        new = np.flatnonzero(~is_known)
        if len(new):
            pair = pair[new]
            path = pair >> self._document_bits
            row[new] = self._find_rows(path, pair - (path << self._document_bits))
            self._new_parents.append((pair, row[new]))
        return row[index]

    def _keep_parents(self) -> None:
        """Add the rows of new parents to the table at once: each addition copies the table."""
        if self._new_parents:
            pairs, rows = (np.concatenate(columns) for columns in zip(*self._new_parents, strict=True))
            pair, index = _number_distinct(pairs)
            row = np.empty(len(pair), dtype=np.int64)
            row[index] = rows  # a pair has the same row wherever it occurs
            self._parents.add(pair, row)
            self._new_parents.clear()

    def _find_children(self, parent: Ints, group: Ints, position: Ints) -> Ints:
        """Return the row of each requested child, -1 if there is none."""
        first = group * (len(self._key) + 1)
        target, order = sort_with_rows(first + np.maximum(parent, 0))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.searchsorted(self._key, target)
        place += position - 1
        key = self._key.take(place, mode="clip")
        exists = (parent >= 0) & (place < len(self._key)) & (key < first + self._subtree_end[parent])
        return np.where(exists, key - first, -1)


class KnownPaths:
    """Paths and all their prefixes, each numbered and parsed once.

    ``parent`` is the number of each path without its last step, 0 for a root; ``group`` is its label path,
    -1 if there is none; ``position`` is the position in its last step; ``is_canonical`` is whether each step
    has a position and no namespace prefix.  The number 0 belongs to no path.

    >>> known = KnownPaths(LabelPaths(np.array([-1, 0]), ("article", "p"), (None, None)))
    >>> number = known.number(pl.Series(["/article/p[3]", "article", "/article/b/p[3]"]))
    >>> known.group[number].tolist(), known.position[number].tolist()
    ([1, -1, -1], [3, 0, 3])
    """

    def __init__(self, labels: LabelPaths) -> None:
        self.parent, self.group, self.position = np.array([-1]), np.array([-1]), np.array([0])
        self.is_canonical = np.array([True])
        self._number_by_step: list[SortedTable] = []  # a table per depth; the key is a parent and a step
        self._row_by_hash = SortedTable(np.uint64)  # of the paths as written
        self._written, self._written_number = pl.Series(dtype=pl.String), np.zeros(0, dtype=np.int64)
        self._steps: dict[str, int] = {}
        self._step_name, self._step_position = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        self._is_full_step = np.zeros(0, dtype=bool)
        self._names = {name: number for number, name in enumerate(labels.names)}
        # the lookup key of each label path: its parent and its name, as one number
        above = np.where(labels.parent >= 0, labels.path_ids[labels.parent], -1)
        self._group_by_name = SortedTable(np.int64)
        keys, first = np.unique(self._join_name(above, labels.name_ids), return_index=True)
        self._group_by_name.add(keys, labels.path_ids[first])

    def number(self, paths: pl.Series) -> Ints:
        """Return the number of each path; those of invalid paths have no label path."""
        distinct, index = number_values(paths)
        hashes = hash_values(distinct)
        row, has_hash = self._row_by_hash.find(hashes)
        is_known = has_hash.copy()
        # different paths may have the same hash: only the first is kept, others are parsed every time
        is_known[has_hash] = self._written.gather(row[has_hash]).eq_missing(distinct.filter(has_hash))
        number = np.zeros(len(distinct), dtype=np.int64)
        number[is_known] = self._written_number[row[is_known]]
        new = np.flatnonzero(~is_known)
        if len(new):
            number[new] = self._parse(distinct.gather(new))
            keys, first = np.unique(hashes[new[~has_hash[new]]], return_index=True)
            self._row_by_hash.add(keys, len(self._written) + np.flatnonzero(~has_hash[new])[first])
            self._written = self._written.append(distinct.gather(new)).rechunk()
            self._written_number = np.append(self._written_number, number[new])
        return number[index]

    def _parse(self, paths: pl.Series) -> Ints:
        """Return the number of each path, step by step from the roots; new prefixes get the next numbers."""
        is_path = paths.str.starts_with("/") & (paths.str.count_matches("/", literal=True) <= MAX_DEPTH)
        steps = paths.set(~is_path.fill_null(value=False), "/").str.strip_prefix("/").str.split("/")
        size = steps.list.len().to_numpy().astype(np.int64)
        step = self._number_steps(steps.explode(empty_as_null=False, keep_nulls=False))
        first = np.cumsum(size) - size
        number, rows = np.zeros(len(paths), dtype=np.int64), np.arange(len(paths))
        for level in range(int(size.max())):
            rows = rows[size[rows] > level]
            if level == len(self._number_by_step):
                self._number_by_step.append(SortedTable(np.int64))
            number[rows] = self._number_children(level, number[rows], step[first[rows] + level])
        return number

    def _number_steps(self, steps: pl.Series) -> Ints:
        """Return a number for each step, with a name and a position; invalid steps have the name -1."""
        distinct, index = number_values(steps)
        new = [step for step in distinct if step not in self._steps]
        matches = [STEP_REGEX.fullmatch(f"/{step}") for step in new]
        names = [-1 if step is None else self._names.get(step[1], -1) for step in matches]
        positions = [0 if step is None else int(step[2] or 1) for step in matches]
        self._steps |= {step: number for number, step in enumerate(new, len(self._steps))}
        self._step_name = np.append(self._step_name, np.array(names, dtype=np.int64))
        self._step_position = np.append(self._step_position, np.array(positions, dtype=np.int64))
        is_full = [step is not None and step[0] == f"/{step[1]}[{step[2]}]" for step in matches]
        self._is_full_step = np.append(self._is_full_step, np.array(is_full, dtype=bool))
        return np.array([self._steps[step] for step in distinct], dtype=np.int64)[index]

    def _number_children(self, level: int, parent: Ints, step: Ints) -> Ints:
        """Return the number of each path that is a step below its parent."""
        key, index = _number_distinct((parent << _STEP_BITS) + step)
        number, is_known = self._number_by_step[level].find(key)
        new = np.flatnonzero(~is_known)
        if len(new):
            number[new] = len(self.parent) + np.arange(len(new))
            self._number_by_step[level].add(key[new], number[new])
            parent, step = key[new] >> _STEP_BITS, key[new] & ((1 << _STEP_BITS) - 1)
            above, name = self.group[parent], self._step_name[step]
            group, is_label = self._group_by_name.find(self._join_name(above, name))
            is_label &= (name >= 0) & ((above >= 0) | (parent == 0))
            self.parent = np.append(self.parent, parent)
            self.group = np.append(self.group, np.where(is_label, group, -1))
            self.position = np.append(self.position, self._step_position[step])
            is_canonical = self.is_canonical[parent] & self._is_full_step[step]
            self.is_canonical = np.append(self.is_canonical, is_canonical)
        return number[index]

    def _join_name(self, above: Ints, name: Ints) -> Ints:
        """Return a label path above and a name as one number."""
        return (above + 1) * (len(self._names) + 1) + name


class SortedTable:
    """Numbers by key, sorted by key: many keys are looked up, or added, at once.

    >>> table = SortedTable(np.int64)
    >>> table.add(np.array([10, 30]), np.array([1, 3]))
    >>> [values.tolist() for values in table.find(np.array([10, 20, 30]))]
    [[1, 0, 3], [True, False, True]]
    """

    def __init__(self, dtype: type[np.int64 | np.uint64]) -> None:
        self._keys: npt.NDArray[Any] = np.zeros(0, dtype=dtype)
        self._numbers = np.zeros(0, dtype=np.int64)

    def find(self, keys: npt.NDArray[Any]) -> tuple[Ints, Booleans]:
        """Return the number of each key, 0 if it has none, and whether it has one."""
        if not len(self._keys):
            return np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=bool)
        order = _order_nearly(keys)
        place = np.empty(len(keys), dtype=np.int64)
        place[order] = np.minimum(np.searchsorted(self._keys, keys[order]), len(self._keys) - 1)
        is_known = self._keys[place] == keys
        return np.where(is_known, self._numbers[place], 0), is_known

    def add(self, keys: npt.NDArray[Any], numbers: Ints) -> None:
        """Add numbers by key; the keys are new, different and in ascending order."""
        place = np.searchsorted(self._keys, keys)
        self._keys = np.insert(self._keys, place, keys)
        self._numbers = np.insert(self._numbers, place, numbers)


def hash_values(values: pl.Series) -> npt.NDArray[np.uint64]:
    """Return a hash of each value, the same for equal values in the same process."""
    return values.hash().to_numpy()


def number_values(values: pl.Series) -> tuple[pl.Series, Ints]:
    """Return the distinct values in the order in which they occur, and the index of each value among them.

    >>> distinct, index = number_values(pl.Series(["b", "a", "b"]))
    >>> distinct.gather(index).to_list()
    ['b', 'a', 'b']
    """
    if len(values) <= _FEW:
        numbers: dict[str | None, int] = {}
        indices = [numbers.setdefault(value, len(numbers)) for value in values]
        return pl.Series(list(numbers), dtype=values.dtype), np.array(indices, dtype=np.int64)
    hashes = pl.Series(hash_values(values))  # numbers are compared faster than strings
    first = hashes.arg_unique()
    distinct, index = values.gather(first), _join_numbers(hashes, hashes.gather(first))
    if distinct.gather(index).eq_missing(values).all():
        return distinct, index
    distinct = values.unique(maintain_order=True)  # different values have the same hash
    return distinct, _join_numbers(values, distinct)


def _join_numbers(values: pl.Series, distinct: pl.Series) -> Ints:
    numbers = pl.DataFrame({"value": distinct}).with_row_index("number")
    rows = values.to_frame("value").join(
        numbers, on="value", how="left", nulls_equal=True, maintain_order="left"
    )
    return rows["number"].to_numpy().astype(np.int64)


def _order_nearly(values: npt.NDArray[Any]) -> Ints:
    """Return an order by the highest bits of values, in which they are found several times faster."""
    low_bits = max(0, int(values.max(initial=0)).bit_length() - 16)
    return np.argsort((values >> values.dtype.type(low_bits)).astype(np.uint16), kind="stable")


def _number_distinct(values: Ints) -> tuple[Ints, Ints]:
    """Return distinct numbers in ascending order, and the index of each number among them."""
    ordered, row = sort_with_rows(values)
    is_new = np.ones(len(values), dtype=bool)
    is_new[1:] = ordered[1:] != ordered[:-1]
    index = np.empty(len(values), dtype=np.int64)
    index[row] = np.cumsum(is_new) - 1
    return ordered[is_new], index
