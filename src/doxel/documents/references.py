"""How documents are named from outside: by id, or by any unambiguous suffix of their path."""

from __future__ import annotations

import difflib
from functools import cached_property

import numpy as np
import polars as pl

from doxel.documents.identity import document_key, document_name
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
        wanted = pl.DataFrame({"doc": references})
        found = wanted.join(self._ids, on="doc", how="left", maintain_order="left")["number"]
        numbers = found.fill_null(-1).to_numpy().copy()
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            lost = references.gather(missing)
            by_suffix = {reference: self._by_suffix(reference) for reference in lost.unique() if reference}
            numbers[missing] = lost.replace_strict(by_suffix, default=-1, return_dtype=pl.Int64).to_numpy()
        return numbers

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[int, str]]]:
        groups: dict[str, list[tuple[int, str]]] = {}
        for number, source in enumerate(self._documents["source"]):
            key = document_key(source)
            groups.setdefault(document_name(key), []).append((number, "/" + key))
        return groups

    def _by_suffix(self, reference: str) -> int:
        key, kind = document_key(reference.strip("/")), kind_by_name(reference)
        found = [
            number
            for number, path in self._by_name.get(document_name(key), ())
            if (path.endswith("/" + key) or ("/" + key).endswith(path))
            # a suffix that is written must fit: notes.txt is not notes.xml
            and (kind is None or kind is kind_by_name(self._documents["source"][number]))
        ]
        found += [
            number for number, path in self._by_name.get(reference, ()) if path.endswith(MARK + reference)
        ]
        return found[0] if len(found) == 1 else -1

    def hint(self, reference: str) -> str:
        """Return what to add to an error about an unknown document."""
        name = document_name(document_key(reference))
        same = [path[1:] for _, path in self._by_name.get(name, ())]
        close = same or difflib.get_close_matches(name, list(self._by_name), 3)
        return f"; near: {', '.join(close[:3])}" if close else ""
