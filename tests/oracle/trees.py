"""Plain trees: documents, their elements, their words.

An element is a half-open span of characters of one document (measures.md, notation).  Its *own text* is its
characters in no child.  Nothing here knows about relevance: an excluded tag, for example, is a matter of the
measures.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(eq=False)
class Element:
    """One element; two elements with the same span are still two elements (section 0, repeats)."""

    tag: str
    path: str
    start: int
    end: int
    children: list[Element] = field(default_factory=list)
    parent: Element | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Length in characters."""
        return self.end - self.start

    @cached_property
    def positions(self) -> frozenset[int]:
        """Every character of the element."""
        return frozenset(range(self.start, self.end))

    def ancestors(self) -> Iterator[Element]:
        """The proper ancestors, nearest first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def descendants(self) -> Iterator[Element]:
        """The proper descendants in document order."""
        for child in self.children:
            yield child
            yield from child.descendants()

    def is_within(self, other: Element) -> bool:
        """Whether this is ``other`` or one of its descendants."""
        return self is other or any(above is other for above in self.ancestors())

    def on_one_path(self, other: Element) -> bool:
        """Return whether one of the two contains the other, or they are the same."""
        return self.is_within(other) or other.is_within(self)

    @property
    def depth(self) -> int:
        """Number of steps in the path."""
        return 1 + sum(1 for _ in self.ancestors())

    @property
    def labels(self) -> str:
        """The incoming label path: the tags from the root down, without positions (section 9)."""
        tags = [self.tag, *(above.tag for above in self.ancestors())]
        return "/".join(reversed(tags))


@dataclass(eq=False)
class Document:
    """A document: its size, its tree if it has one, and its text if words or tokens are needed.

    ``breaks`` are positions at which a comment or a processing instruction separates two text nodes.
    """

    id: str
    size: int
    root: Element | None = None
    text: str | None = None
    breaks: tuple[int, ...] = ()

    def elements(self) -> list[Element]:
        """All elements in document order; none without a tree."""
        return [] if self.root is None else [self.root, *self.root.descendants()]

    def element(self, path: str) -> Element | None:
        """The element with this path."""
        return next((each for each in self.elements() if each.path == path), None)

    def known_text(self) -> str:
        """The text, or an error where the case was made without one."""
        if self.text is None:
            raise ValueError(f"document {self.id} has no text, and words or tokens were asked for")
        return self.text

    @cached_property
    def words(self) -> list[tuple[int, int]]:
        """Runs of non-space characters, each text node split on its own (section 6)."""
        edges = set(self.breaks)
        for each in self.elements():
            edges |= {each.start, each.end}
        return runs(self.known_text(), edges)

    def words_from(self, start: int, end: int) -> int:
        """How many words begin in [start, end).

        Reading: only a passage can cut a word, and then the word belongs to its first character, as
        tokens do (section 12).
        """
        return sum(1 for word, _ in self.words if start <= word < end)


def runs(text: str, edges: set[int] | None = None) -> list[tuple[int, int]]:
    """Spans of the runs of non-space characters in ``text``, cut at ``edges``.

    >>> runs("ab cd", {4})
    [(0, 2), (3, 4), (4, 5)]
    """
    spans: list[tuple[int, int]] = []
    start: int | None = None
    for position, character in enumerate(text):
        if start is not None and (character.isspace() or position in (edges or ())):
            spans.append((start, position))
            start = None
        if start is None and not character.isspace():
            start = position
    if start is not None:
        spans.append((start, len(text)))
    return spans


def grow(tag: str, start: int, end: int, *children: Element) -> Element:
    """Build an element above its children, in document order; ``plant`` names the paths later."""
    element = Element(tag, "", start, end, list(children))
    for child in children:
        child.parent = element
    return element


def plant(root: Element) -> Element:
    """Give a tree its paths, with a position at every step: ``/article[1]/sec[2]/p[1]``."""
    root.path = f"/{root.tag}[1]"
    _name_children(root)
    return root


def _name_children(element: Element) -> None:
    """Number the children of each tag from 1 on, all the way down."""
    counts: dict[str, int] = {}
    for child in element.children:
        counts[child.tag] = counts.get(child.tag, 0) + 1
        child.path = f"{element.path}/{child.tag}[{counts[child.tag]}]"
        _name_children(child)
