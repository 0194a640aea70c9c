"""Collections of strings: documents without a folder and without elements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel.documents.collection import Collection
from doxel.documents.forest import Forest
from doxel.documents.labels import Labels
from doxel.documents.manifest import Manifest
from doxel.errors import InputError

__all__ = ["Texts"]


class Texts(Collection):
    """A collection of texts given by their ids.

    >>> texts = Texts({"report": "All is well."})
    >>> texts.text(texts.number("report"))[7:11]
    'well'
    """

    def __init__(self, texts: Mapping[Any, str]) -> None:
        super().__init__(Path("the given texts"), Manifest(text_rule="as given"))
        for name, text in texts.items():
            if not isinstance(text, str):
                raise InputError(
                    f"the document {str(name)!r}", wanted="its text as a string", found=type(text).__name__
                )
        self._texts = {str(name): text for name, text in texts.items()}
        if len(self._texts) < len(texts):
            raise InputError("documents", wanted="ids that differ as strings", found="the same id twice")

    def __len__(self) -> int:
        return len(self._texts)

    def __reduce__(self) -> tuple[Any, ...]:
        return Texts, (self._texts,)

    @cached_property
    def documents(self) -> pl.DataFrame:
        """One row per document: doc, source, elements, characters."""
        ids = pl.Series(list(self._texts), dtype=pl.String)
        return pl.DataFrame(
            {
                "doc": ids,
                "source": ids,
                "elements": np.zeros(len(ids), dtype=np.int64),
                "characters": pl.Series(map(len, self._texts.values()), dtype=pl.Int64),
            }
        )

    def text(self, number: int) -> str:
        """Return the text of a document."""
        return self._texts[self.documents["doc"][number]]

    def forest(self, numbers: object) -> Forest:
        """Return a forest without elements for the given documents."""
        nothing = np.zeros(0, dtype=np.int64)
        first = np.zeros(len(np.asarray(numbers)) + 1, dtype=np.int64)
        labels = Labels(nothing, (), ())
        return Forest(
            first, descendants=nothing, before=nothing, inside=nothing, label=nothing, labels=labels
        )

    def attributes(self, number: int) -> pl.DataFrame:
        """Return an empty table: there are no elements."""
        del number
        return pl.DataFrame(schema={"element": pl.Int64, "name": pl.String, "value": pl.String})

    def breaks(self, number: int) -> pl.DataFrame:
        """Return an empty table: a plain text has no breaks."""
        del number
        return pl.DataFrame(schema={"element": pl.Int64, "position": pl.UInt32})
