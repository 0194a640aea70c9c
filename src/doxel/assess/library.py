"""The collection as the assessment server uses it: sizes, fingerprints, outlines and texts of documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from doxel.assess.rules import NO_ELEMENTS, Outline
from doxel.assess.scales import Scale
from doxel.documents import Collection
from doxel.documents.element_forest import Forest

__all__ = ["Held", "Library"]


@dataclass(frozen=True)
class Held:
    """The facts about a document against which its events are checked."""

    doc: str
    number: int
    characters: int
    fingerprint: str


class Library:
    """A collection as the assessment server uses it; safe for several threads."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        rows = collection.documents.select(
            "doc", pl.col("characters").cast(pl.Int64), "text_hash"
        ).iter_rows()
        self._held = {
            doc: Held(doc, number, characters, digest)
            for number, (doc, characters, digest) in enumerate(rows)
        }

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the collection."""
        return self.collection.fingerprint

    @property
    def text_rule(self) -> str:
        """The rule by which the texts were extracted."""
        return self.collection.manifest.text_rule

    def __getitem__(self, doc: str) -> Held:
        """Return a document by its id, which must exist."""
        return self._held[doc]

    def find(self, doc: str) -> Held | None:
        """Return a document by its id, None if there is none."""
        return self._held.get(doc)

    @lru_cache(maxsize=64)  # noqa: B019 -- a library lives as long as its server
    def forest(self, doc: str) -> Forest:
        """Return the elements of a document as arrays."""
        return self.collection.forest([self._held[doc].number])

    @lru_cache(maxsize=64)  # noqa: B019
    def outline(self, doc: str) -> Outline:
        """Return the elements of a document with their paths."""
        forest = self.forest(doc)
        return Outline(forest.paths().to_list(), forest.start, forest.end, forest.parent)

    def graded_outline(self, doc: str, scale: Scale) -> Outline:
        """Return the outline of a document if the scale grades elements, else an empty outline."""
        return self.outline(doc) if scale.grades else NO_ELEMENTS

    @lru_cache(maxsize=16)  # noqa: B019
    def text(self, doc: str) -> str:
        """Return the text of a document."""
        return self.collection.text(self._held[doc].number)
