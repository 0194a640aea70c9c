"""Label paths of elements, and merging the label paths of several parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
import polars as pl

from doxel.errors import CollectionError
from doxel.spans import Ints

__all__ = ["LabelTable", "Labels", "labels_of"]


@dataclass(frozen=True)
class Labels:
    """Label paths: each is a name below a parent label path (-1: a root).

    All elements with the same label path form one group of the incoming structural summary.
    """

    parent: Ints
    name: tuple[str, ...]
    namespace: tuple[str | None, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct local names, in alphabetical order."""
        return tuple(sorted(set(self.name)))

    @cached_property
    def name_ids(self) -> Ints:
        """The position of each label's name in ``names``."""
        numbers = {name: number for number, name in enumerate(self.names)}
        return np.array([numbers[name] for name in self.name], dtype=np.int64)

    @cached_property
    def path_ids(self) -> Ints:
        """A number for each label path, the same where only namespaces differ."""
        if all(namespace is None for namespace in self.namespace):
            return np.arange(len(self.name))
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(path, len(numbers)) for path in self.paths], dtype=np.int64)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Each label path as a string, such as ``/article/body/p``."""
        built: list[str] = []
        for parent, name in zip(self.parent.tolist(), self.name, strict=True):
            built.append(f"{built[parent] if parent >= 0 else ''}/{name}")
        return tuple(built)


def labels_of(paths: pl.Series) -> tuple[Labels, Ints]:
    """Return the label paths of elements given by their paths, and the label of each element.

    The label paths of their ancestors are included and come first.

    >>> labels, label = labels_of(pl.Series(["/a[1]/b[2]", "/a[1]", "/a[1]/b[1]"]))
    >>> [labels.paths[number] for number in label]
    ['/a/b', '/a', '/a/b']
    """
    label_paths = paths.str.replace_all(r"\[[^\]]*\]", "").str.replace_all(r"/[^/:]+:", "/")
    distinct = label_paths.unique(maintain_order=True)
    numbers: dict[tuple[int, str], int] = {}
    last: list[int] = []
    for path in distinct:
        number = -1
        for name in path.removeprefix("/").split("/"):
            number = numbers.setdefault((number, name), len(numbers))
        last.append(number)
    parents, names = zip(*numbers, strict=True) if numbers else ((), ())
    labels = Labels(np.array(parents, dtype=np.int64), tuple(names), (None,) * len(names))
    return labels, label_paths.replace_strict(distinct, last, return_dtype=pl.Int64).to_numpy()


_MOST_NAMES = 1 << 30


class LabelTable:
    """Merges the label paths of parts: the same name below the same parent is the same label.

    A part lists its labels level by level, with ascending parents, so a level is a range of rows whose
    parents are in the range before it; each level is looked up at once.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, str | None], int] = {}
        self._maps: dict[int, Ints] = {}
        self._parent = np.zeros(0, dtype=np.int64)
        self._name = np.zeros(0, dtype=np.int64)
        self._merged: Labels | None = None
        # one thread locates a run while another scores the previous one: a part must not be merged twice
        self._lock = Lock()

    def map(self, part: int, read: Callable[[], pl.DataFrame]) -> Ints:
        """Return the collection's label for each label of a part."""
        with self._lock:
            if part not in self._maps:
                self._maps[part] = self._merge(read())
                self._merged = None
            return self._maps[part]

    def labels(self) -> Labels:
        """Return the labels merged so far."""
        with self._lock:
            if self._merged is None:
                names = list(self._names)
                pairs = [names[number] for number in self._name.tolist()]
                self._merged = Labels(
                    self._parent,
                    tuple(name for name, _ in pairs),
                    tuple(namespace for _, namespace in pairs),
                )
            return self._merged

    def _merge(self, table: pl.DataFrame) -> Ints:
        """Return the number of each label of a part; new labels get the next numbers."""
        parent = table["parent"].to_numpy().astype(np.int64)
        name = self._name_numbers(table)
        known_keys = (self._parent + 1) * _MOST_NAMES + self._name
        order = np.argsort(known_keys)
        known_keys = known_keys[order]
        merged = np.full(len(parent) + 1, -1, dtype=np.int64)  # the last entry is the parent of roots
        new = np.zeros(len(parent), dtype=bool)
        begin, labels = 0, len(self._parent)
        while begin < len(parent):
            end = int(np.searchsorted(parent, begin))
            if end == begin:
                raise CollectionError("a label path comes before its parent: the collection is damaged")
            rows = slice(begin, end)
            key = (merged[parent[rows]] + 1) * _MOST_NAMES + name[rows]
            place = np.searchsorted(known_keys, key)
            is_known = np.append(known_keys, -1)[place] == key
            new[rows] = ~is_known
            numbers = labels + np.cumsum(~is_known) - 1
            numbers[is_known] = order[place[is_known]]
            merged[rows] = numbers
            labels += int((~is_known).sum())
            begin = end
        self._parent = np.concatenate([self._parent, merged[parent[new]]])
        self._name = np.concatenate([self._name, name[new]])
        return merged[:-1]

    def _name_numbers(self, table: pl.DataFrame) -> Ints:
        """Return a number for each label's name and namespace, the same in all parts."""
        pairs = table.select("name", "namespace").unique(maintain_order=True)
        numbers = [self._names.setdefault(pair, len(self._names)) for pair in pairs.iter_rows()]
        coded = table.join(
            pairs.with_columns(number=pl.Series(numbers, dtype=pl.Int64)),
            on=["name", "namespace"],
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        return coded["number"].to_numpy()
