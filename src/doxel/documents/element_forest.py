"""The elements of any number of documents, as columns, with their label paths.

Four small numbers per element are stored: its number of descendants, the size of the text between the
previous boundary (a start or an end) and its start, the size of the text between the last boundary inside
it and its end, and its label path.  Everything else is computed from them on demand.  A label path is a
name below a parent label path; the label paths of all parts of a collection are merged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.documents import tree_arrays
from doxel.documents.tree_arrays import Tree
from doxel.errors import CollectionError
from doxel.spans import Ints

if TYPE_CHECKING:
    from doxel.documents.child_index import ChildIndex

__all__ = ["Forest", "LabelPaths", "LabelTable", "find_smallest_elements", "parse_label_paths"]

StoredInts = npt.NDArray[np.signedinteger[Any]]  # 32 bits are enough for one document and halve the memory


@dataclass(frozen=True)
class Forest:
    """Elements of several documents in document order.

    ``first`` contains the row of each document's root, and at its end the number of elements.
    """

    first: Ints
    descendants: StoredInts
    before: StoredInts
    inside: StoredInts
    label: StoredInts
    labels: LabelPaths

    def __len__(self) -> int:
        return len(self.label)

    def take(self, documents: Ints) -> Forest:
        """Return the elements of these documents, in this order; a document may be repeated."""
        begin, end = self.first[documents], self.first[documents + 1]
        stretches = list(map(slice, begin.tolist(), end.tolist()))

        def join(values: npt.NDArray[Any]) -> npt.NDArray[Any]:  # much faster than taking single rows
            return np.concatenate([values[stretch] for stretch in stretches]) if stretches else values[:0]

        columns = {name: join(getattr(self, name)) for name in ("descendants", "before", "inside", "label")}
        forest = Forest(np.concatenate([[0], np.cumsum(end - begin)]), **columns, labels=self.labels)
        if "_spans" in vars(self):  # they need not be computed again
            vars(forest)["_spans"] = (join(self.start), join(self.end))
        return forest

    @cached_property
    def tree(self) -> Tree:
        """The documents as trees of elements."""
        return Tree(np.arange(1, len(self) + 1) + self.descendants)

    @property
    def subtree_end(self) -> Ints:
        """The row after each element's last descendant."""
        return self.tree.subtree_end

    @property
    def depth(self) -> Ints:
        """The number of steps in each element's path, 1 for a root."""
        return self.tree.depth

    @property
    def parent(self) -> Ints:
        """The row of each element's parent, -1 for a root."""
        return self.tree.parent

    @cached_property
    def document(self) -> Ints:
        """The number of each element's document."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @cached_property
    def _spans(self) -> tuple[Ints, Ints]:
        """Start and end of each element, by adding up the text before them.

        The text before an element's start is the gaps before it and all earlier elements, and the inside
        texts of the elements that have ended; the text before its end adds the gaps of its descendants and
        the inside texts of the element and its descendants.
        """
        before, inside = np.cumsum(self.before), np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(self.inside, out=inside[1:])
        ended_text = np.bincount(self.subtree_end, weights=self.inside, minlength=len(self) + 1)
        start = before + np.cumsum(ended_text)[:-1].astype(np.int64)
        start -= np.repeat(np.append(start, 0)[self.first[:-1]], np.diff(self.first))
        after = self.subtree_end
        return start, start + before[after - 1] - before + inside[after] - inside[:-1]

    @property
    def start(self) -> Ints:
        """The position of each element's first character in its document."""
        return self._spans[0]

    @property
    def end(self) -> Ints:
        """The position after each element's last character."""
        return self._spans[1]

    @cached_property
    def name(self) -> Ints:
        """The number of each element's local name in ``labels.names``."""
        return self.labels.name_ids[self.label]

    @cached_property
    def sibling(self) -> Ints:
        """The position of each element, from 1, among the siblings of its name."""
        return tree_arrays.compute_sibling_positions(self.parent, self.name)

    @cached_property
    def _children(self) -> ChildIndex:
        from doxel.documents.child_index import ChildIndex

        return ChildIndex(self)

    def find(self, document: Ints, paths: pl.Series) -> Ints:
        """Return the row of each path in its document, -1 where it names no element.

        ``document`` holds for each path the number of its document in the forest, -1 for none.
        """
        return self.locate(document, paths)[0]

    def locate(self, document: Ints, paths: pl.Series) -> tuple[Ints, bool]:
        """Return the rows of :meth:`find`, and whether all paths are known to be canonical."""
        return self._children.locate(document, paths)

    def path(self, row: int) -> str:
        """Return the path of one element, with a position at every step."""
        steps: list[str] = []
        while row >= 0:
            steps.append(f"/{self.labels.names[self.name[row]]}[{self.sibling[row]}]")
            row = int(self.parent[row])
        return "".join(reversed(steps))

    def paths(self) -> pl.Series:
        """Return the paths of all elements.

        They are built level by level, each from its parent's path, in about a second per million.
        """
        names = pl.Series(self.labels.names, dtype=pl.String).gather(self.name)
        steps = pl.select("/" + names + "[" + pl.Series(self.sibling).cast(pl.String) + "]").to_series()
        pieces: list[pl.Series] = []
        place = np.empty(len(self), dtype=np.int64)  # an element's index within its level
        back = np.empty(len(self), dtype=np.int64)
        offset = 0
        for rows in self.tree.levels:
            place[rows] = np.arange(len(rows))
            back[rows] = offset + place[rows]
            offset += len(rows)
            last_steps = steps.gather(rows)
            pieces.append(pieces[-1].gather(place[self.parent[rows]]) + last_steps if pieces else last_steps)
        if not pieces:
            return pl.Series("path", [], dtype=pl.String)
        return pl.concat(pieces).gather(back).alias("path")

    def frame(self) -> pl.DataFrame:
        """Return the elements as a table: path, tag, start, end, depth, parent, subtree_end."""
        return pl.DataFrame(
            {
                "path": self.paths(),
                "tag": pl.Series(self.labels.names, dtype=pl.String).gather(self.name),
                "start": self.start,
                "end": self.end,
                "depth": self.depth,
                "parent": self.parent,
                "subtree_end": self.subtree_end,
            }
        )


@dataclass(frozen=True)
class LabelPaths:
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


def parse_label_paths(paths: pl.Series) -> tuple[LabelPaths, Ints]:
    """Return the label paths of elements given by their paths, and the label of each element.

    The label paths of their ancestors are included and come first.

    >>> labels, label = parse_label_paths(pl.Series(["/a[1]/b[2]", "/a[1]", "/a[1]/b[1]"]))
    >>> [labels.paths[number] for number in label]
    ['/a/b', '/a', '/a/b']
    """
    label_paths = paths.str.replace_all(r"\[[^\]]*\]", "").str.replace_all(r"/[^/:]+:", "/")
    distinct = label_paths.unique(maintain_order=True)
    numbers: dict[tuple[int, str], int] = {}
    last_labels: list[int] = []
    for path in distinct:
        number = -1
        for name in path.removeprefix("/").split("/"):
            number = numbers.setdefault((number, name), len(numbers))
        last_labels.append(number)
    parents, names = zip(*numbers, strict=True) if numbers else ((), ())
    labels = LabelPaths(np.array(parents, dtype=np.int64), tuple(names), (None,) * len(names))
    return labels, label_paths.replace_strict(distinct, last_labels, return_dtype=pl.Int64).to_numpy()


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
        self._merged: LabelPaths | None = None
        # one thread locates a run while another scores the previous one: a part must not be merged twice
        self._lock = Lock()

    def map(self, part: int, read: Callable[[], pl.DataFrame]) -> Ints:
        """Return the collection's label for each label of a part."""
        with self._lock:
            if part not in self._maps:
                self._maps[part] = self._merge(read())
                self._merged = None
            return self._maps[part]

    def labels(self) -> LabelPaths:
        """Return the labels merged so far."""
        with self._lock:
            if self._merged is None:
                names = list(self._names)
                pairs = [names[number] for number in self._name.tolist()]
                self._merged = LabelPaths(
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
        label = np.full(len(parent) + 1, -1, dtype=np.int64)  # the last entry is the parent of roots
        is_new = np.zeros(len(parent), dtype=bool)
        begin, labels = 0, len(self._parent)
        while begin < len(parent):
            end = int(np.searchsorted(parent, begin))
            if end == begin:
                raise CollectionError("a label path comes before its parent: the collection is damaged")
            rows = slice(begin, end)
            key = (label[parent[rows]] + 1) * _MOST_NAMES + name[rows]
            place = np.searchsorted(known_keys, key)
            is_known = np.append(known_keys, -1)[place] == key
            is_new[rows] = ~is_known
            numbers = labels + np.cumsum(~is_known) - 1
            numbers[is_known] = order[place[is_known]]
            label[rows] = numbers
            labels += int((~is_known).sum())
            begin = end
        self._parent = np.concatenate([self._parent, label[parent[is_new]]])
        self._name = np.concatenate([self._name, name[is_new]])
        return label[:-1]

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


def find_smallest_elements(forest: Forest, document: Ints, start: Ints, end: Ints) -> Ints:
    """Return the row of the smallest element that contains each span, -1 if its document has no elements.

    ``document`` is the number of each span's document in the forest.  Of elements with the same extent
    the innermost is the smallest.  For an empty span, the character after it counts.
    """
    if not len(forest):
        return np.full(len(start), -1, dtype=np.int64)
    root = forest.first[document]
    has_root = forest.first[document + 1] > root
    length = np.where(has_root, forest.end[np.minimum(root, len(forest) - 1)], 0)
    stop = np.minimum(np.maximum(end, start + 1), length)
    begin = np.minimum(start, np.maximum(stop - 1, 0))
    stride = 2 + int(forest.end.max(initial=0))
    # the last element that starts at or before the span is inside the smallest element around it
    line = forest.document * stride + forest.start
    holder = np.searchsorted(line, document * stride + begin, side="right") - 1
    for _ in range(int(forest.depth.max(initial=1))):
        too_short = (holder >= root) & (forest.end[holder] < stop)
        holder = np.where(too_short, forest.parent[holder], holder)
    return np.where(has_root, np.maximum(holder, root), -1)
