"""References to documents: by id, or by any unambiguous suffix of their path."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from doxel.documents.identity import document_key, document_keys, document_name, document_names
from doxel.documents.jsonlines import MARK
from doxel.documents.kinds import kind_by_name
from doxel.spans import Ints

__all__ = ["References"]


class References:
    """Finds the documents of a collection by id or path suffix.

    ``tc/2001/t0111``, ``t0111.xml`` and ``2001/t0111`` all find the document with that source.
    """

    def __init__(self, documents: pl.DataFrame) -> None:
        self._documents = documents
        self._ids = documents.select("doc", number=pl.int_range(pl.len(), dtype=pl.Int64))

    def find(self, references: pl.Series) -> Ints:
        """Return the row of each document, -1 where a reference names none or several."""
        references = references.cast(pl.String)
        rows = references.to_frame("doc").join(self._ids, on="doc", how="left", maintain_order="left")
        numbers = rows["number"].fill_null(-1).to_numpy().copy()
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            others = references.gather(missing)
            by_suffix = self._by_suffix([reference for reference in others.unique() if reference])
            numbers[missing] = others.replace_strict(by_suffix, default=-1, return_dtype=pl.Int64).to_numpy()
        return numbers

    @cached_property
    def _names(self) -> pl.Series:
        return document_names(document_keys(self._documents["source"]))

    def _named(self, names: Iterable[str]) -> dict[str, list[tuple[int, str]]]:
        """Return the rows and paths of the documents with the given names, by name."""
        rows = self._names.is_in(list(names)).arg_true()
        groups: dict[str, list[tuple[int, str]]] = {}
        for number, source in zip(rows, self._documents["source"].gather(rows), strict=True):
            key = document_key(source)
            groups.setdefault(document_name(key), []).append((number, "/" + key))
        return groups

    def _by_suffix(self, references: Sequence[str]) -> dict[str, int]:
        """Return the row of the only document that each reference matches, -1 for none or several."""
        keys = [document_key(reference.strip("/")) for reference in references]
        named = self._named({*map(document_name, keys), *references})
        return {
            reference: self._fitting(reference, key, named)
            for reference, key in zip(references, keys, strict=True)
        }

    def _fitting(self, reference: str, key: str, named: Mapping[str, list[tuple[int, str]]]) -> int:
        kind = kind_by_name(reference)
        matches = [
            number
            for number, path in named.get(document_name(key), ())
            if (path.endswith("/" + key) or ("/" + key).endswith(path))
            # a file suffix, if written, must match: notes.txt is not notes.xml
            and (kind is None or kind is kind_by_name(self._documents["source"][number]))
        ]
        matches += [number for number, path in named.get(reference, ()) if path.endswith(MARK + reference)]
        return matches[0] if len(matches) == 1 else -1

    def hint(self, reference: str) -> str:
        """Return the end of an error about an unknown document: documents with similar names."""
        name = document_name(document_key(reference))
        same = [path[1:] for _, path in self._named([name]).get(name, ())]
        close = same or difflib.get_close_matches(name, self._names.unique(maintain_order=True).to_list(), 3)
        return f"; near: {', '.join(close[:3])}" if close else ""
