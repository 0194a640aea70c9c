"""Build the elements of a document from spans of its text.

Elements are opened and closed from front to back, each at a position of the text.  A position before the
previous one counts as the previous one, so that elements always nest.  The text between two boundaries
belongs to the innermost element around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from doxel.documents.columns import NodeColumns
from doxel.documents.trees import DEEPEST
from doxel.errors import InputError

__all__ = ["Outline", "section_marks"]


class Outline:
    """Elements in document order with the sizes of the texts in and after them.

    ``name`` is the document's name in errors.

    >>> outline = Outline("a.txt")
    >>> outline.open("document", 0)
    >>> outline.open("p", 2)
    >>> outline.close(5)
    >>> outline.close(6)
    >>> outline.text_sizes, outline.tail_sizes, outline.child_counts
    ([2, 3], [0, 1], [1, 0])
    """

    def __init__(self, name: str) -> None:
        self.tags: list[object] = []
        self.child_counts: list[int] = []
        self.text_sizes: list[int] = []
        self.tail_sizes: list[int] = []
        self.attributes: list[tuple[int, str, str]] = []
        self._name = name
        self._open: list[int] = []
        self._closed = -1  # the node whose tail is growing, or -1
        self._at = 0

    def open(self, tag: object, at: int, attributes: Iterable[tuple[str, str]] = ()) -> None:
        """Begin an element at a position; a tag that is not a string marks a break, not an element."""
        self._advance(at)
        number = len(self.tags)
        if self._open:
            self.child_counts[self._open[-1]] += 1
        if len(self._open) >= DEEPEST:
            wanted = f"elements nested at most {DEEPEST} deep, including the sections opened by headings"
            raise InputError("nested too deeply", file=self._name, wanted=wanted, found="deeper nesting")
        self.tags.append(tag)
        self.child_counts.append(0)
        self.text_sizes.append(0)
        self.tail_sizes.append(0)
        self.attributes.extend((number, name, value) for name, value in attributes)
        self._open.append(number)
        self._closed = -1

    def close(self, at: int) -> None:
        """End the innermost open element at a position."""
        self._advance(at)
        self._closed = self._open.pop()

    def _advance(self, at: int) -> None:
        gap = at - self._at
        if gap <= 0 or not self._open:
            return
        if self._closed >= 0:
            self.tail_sizes[self._closed] += gap
        else:
            self.text_sizes[self._open[-1]] += gap
        self._at = at

    def add_to(self, columns: NodeColumns) -> None:
        """Append the document to the columns of a part."""
        first = columns.begin()
        tags, names = columns.tags, columns.attribute_names
        columns.tag.extend([tags[tag] for tag in self.tags])
        columns.child_count.extend(self.child_counts)
        columns.text_size.extend(self.text_sizes)
        columns.tail_size.extend(self.tail_sizes)
        for number, name, value in self.attributes:
            columns.attribute_node.append(first + number)
            columns.attribute_name.append(names[name])
            columns.attribute_value.append(value)


def section_marks(levels: Iterable[int | None], own: int | None = None) -> Iterator[tuple[int, bool]]:
    """Yield for each child how many sections end before it, and whether one begins with it.

    ``levels`` are the levels of headings among the children, None for other children.  A heading ends the
    sections of headings of the same or a lower rank, and begins its own; a heading that skips a level
    nests only one deeper.  If the parent is a section already, ``own`` is the index of its own heading,
    which begins no section.

    >>> list(section_marks([None, 1, None, 3, 2]))
    [(0, False), (0, True), (0, False), (0, True), (1, True)]
    """
    open_levels: list[int] = []
    for number, level in enumerate(levels):
        ended = 0
        if level is not None and number != own:
            while open_levels and open_levels[-1] >= level:
                open_levels.pop()
                ended += 1
            open_levels.append(level)
            yield ended, True
        else:
            yield 0, False
