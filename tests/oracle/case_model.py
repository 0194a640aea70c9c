"""One topic of one run, as the oracle sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from .trees import Document, Element

Span: TypeAlias = tuple[int, int]
Grade: TypeAlias = tuple[int, str] | tuple[int, int] | int | str
"""2002: (relevance, coverage); 2003: (exhaustivity, specificity); 2005: exhaustivity or "?" (too small)."""


@dataclass(frozen=True)
class Result:
    """One entry of a run: an element if it has a path, else a passage; unresolved if it has no start."""

    doc: str
    start: int | None
    end: int | None
    path: str | None = None
    rank: int | None = None
    rsv: Fraction | int | None = None

    @property
    def resolved(self) -> bool:
        """Whether the result was found in the collection."""
        return self.start is not None

    @property
    def size(self) -> int:
        """Length in characters; 0 when unresolved (section 0)."""
        return 0 if self.start is None or self.end is None else self.end - self.start

    @cached_property
    def positions(self) -> frozenset[int]:
        """Every character of the result; none when unresolved."""
        if self.start is None or self.end is None:
            return frozenset()
        return frozenset(range(self.start, self.end))

    @property
    def key(self) -> tuple[str, str | int | None, int | None]:
        """The identity of a result: the path of an element, the span of a passage (section 0)."""
        return (self.doc, self.start, self.end) if self.path is None else (self.doc, self.path, None)


@dataclass
class Case:
    """One topic: the collection, the assessments, and the results in file order.

    ``chunks`` are all pieces of a chunking, needed only by the reference choices of section 12.  ``aspects``
    and ``highlight_grades`` belong to the highlights of each document, in their order; ``aspect_settings``
    are weight and vital by name (section 14).
    """

    documents: Sequence[Document]
    highlights: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    results: Sequence[Result] = ()
    beps: Mapping[str, int] = field(default_factory=dict)
    grades: Mapping[tuple[str, str], Grade] | None = None
    scale: str = "2006"
    judged: set[str] = field(default_factory=set)
    task: str = "focused"
    chunks: Sequence[Result] | None = None
    aspects: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    highlight_grades: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    aspect_settings: Mapping[str, tuple[Fraction | int | float, bool]] = field(default_factory=dict)

    def document(self, name: str) -> Document | None:
        """Return the document with this id, or None."""
        return next((each for each in self.documents if each.id == name), None)

    @cached_property
    def _relevant(self) -> dict[str, frozenset[int]]:
        """Highlighted characters of every assessed document."""
        return {
            name: frozenset(position for start, end in spans for position in range(start, end))
            for name, spans in self.highlights.items()
        }

    def relevant(self, name: str) -> frozenset[int]:
        """Highlighted characters of a document: the union of its highlights, empty when not assessed."""
        return self._relevant.get(name, frozenset())

    def relevant_size(self) -> int:
        """Highlighted characters of the topic."""
        return sum(len(characters) for characters in self._relevant.values())

    def relevant_documents(self) -> list[str]:
        """Documents with highlighted text."""
        return [name for name, characters in self._relevant.items() if characters]

    def rsize(self, result: Result) -> int:
        """Highlighted characters inside a result."""
        return len(result.positions & self.relevant(result.doc))

    @cached_property
    def _paths(self) -> dict[tuple[str, str], Element]:
        """Every element by document and path."""
        return {(document.id, each.path): each for document in self.documents for each in document.elements()}

    def element(self, result: Result) -> Element | None:
        """Return the element that a result names; None for a passage or an unresolved result."""
        if result.path is None or not result.resolved:
            return None
        return self._paths.get((result.doc, result.path))

    def elements(self) -> list[tuple[str, Element]]:
        """Every element of the collection with its document, in document order."""
        return [(document.id, each) for document in self.documents for each in document.elements()]

    @property
    def bare(self) -> bool:
        """Whether no document has a tree: chunks without elements (section 12)."""
        return all(document.root is None for document in self.documents)
