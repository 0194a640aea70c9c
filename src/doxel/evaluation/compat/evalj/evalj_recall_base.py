"""The cached full recall base of EvalJ (EXPANDED_FULLRB): judged documents expanded into their elements.

EvalJ wrote this file so that it had to read the collection only once.  doxel's file serves the same
purpose: it contains the assessments with their positions, and all elements of the documents with relevant
text, so that the XCG metrics need no collection.  The file also records its sources; it is rejected for
other assessments or another collection.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES, Assessments
from doxel.documents import Collection, Forest, LabelPaths
from doxel.documents.document_names import compute_digest
from doxel.documents.manifest import Manifest
from doxel.errors import CollectionError, InputError
from doxel.files import read_bytes, write_atomically
from doxel.files.budget import find_limit
from doxel.files.compression import DAMAGE, build_bomb_error
from doxel.spans import Ints, concatenate_ranges

__all__ = [
    "ExpandedBase",
    "check_assessments",
    "check_collection",
    "check_sources",
    "expand_recall_base",
    "hash_assessments",
    "read_expanded",
    "write_expanded",
]

_FORMAT = "doxel expanded full recall base, 1"
_COLUMNS = ("descendants", "before", "inside", "label")
_MISFIT = (KeyError, TypeError, AttributeError, IndexError)  # raised by unexpected tables or objects


@dataclass(frozen=True)
class ExpandedBase:
    """Assessments with positions, and the elements of the judged documents."""

    assessments: Assessments
    documents: Collection | None
    about: dict[str, Any]


def hash_assessments(assessments: Assessments) -> str:
    """Return a hash of the content of assessments, independent of their files."""
    digest_state = hashlib.sha256(assessments.scale.encode())
    for name, table in assessments.tables.items():
        digest_state.update(name.encode())
        digest_state.update(table.write_csv().encode())
    return digest_state.hexdigest()[:32]


def expand_recall_base(assessments: Assessments, collection: Collection | None) -> ExpandedBase:
    """Expand assessments; without a collection they must list elements themselves and are unchanged."""
    about = {"format": _FORMAT, "assessments": hash_assessments(assessments), "collection": None}
    if collection is None:
        return ExpandedBase(assessments, None, about)
    resolved = resolve_assessments(assessments, collection)
    return ExpandedBase(
        resolved,
        _select_judged_documents(resolved, collection),
        {**about, "collection": collection.fingerprint},
    )


def _select_judged_documents(resolved: Assessments, collection: Collection) -> _ExpandedDocuments:
    """Return the judged documents; those without relevant text have no elements here."""
    numbers = np.unique(resolved.judged["number"].drop_nulls().to_numpy())
    holding = pl.concat([resolved.relevant_highlights["doc"], resolved.elements["doc"]]).unique()
    table = collection.documents.select("doc", "source", "source_hash", "characters", "elements")[numbers]
    holds = table["doc"].is_in(holding.implode()).to_numpy()
    forest = collection.forest(numbers[holds])
    counts = np.where(holds, table["elements"].to_numpy().astype(np.int64), 0)
    judged_table = table.with_columns(elements=pl.Series(counts))
    return _ExpandedDocuments(Path("the expanded recall base"), judged_table, forest)


class _ExpandedDocuments(Collection):
    """Replaces a collection: judged documents, with the elements of those with relevant text."""

    has_texts = False

    def __init__(self, path: Path, table: pl.DataFrame, forest: Forest) -> None:
        super().__init__(path, Manifest(text_rule="expanded recall base"))
        self._table, self._all = table, forest

    def __reduce__(self) -> tuple[Any, ...]:
        return _ExpandedDocuments, (self.folder, self._table, self._all)

    def __len__(self) -> int:
        return self._table.height

    @cached_property
    def documents(self) -> pl.DataFrame:
        """One row per document: doc, source, source_hash, characters, elements."""
        return self._table

    @cached_property
    def _first(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self._table["elements"].to_numpy().astype(np.int64))])

    def forest(self, numbers: object) -> Forest:
        """Return the elements of the given documents."""
        selection = np.asarray(numbers, dtype=np.int64)
        begin, count = self._first[selection], np.diff(self._first)[selection]
        rows = concatenate_ranges(begin, count)
        columns = {name: getattr(self._all, name)[rows] for name in _COLUMNS}
        return Forest(np.concatenate([[0], np.cumsum(count)]), **columns, labels=self._all.labels)

    def text(self, number: int) -> str:
        """Raise an error: there is no text."""
        raise CollectionError(f"document {self._table['doc'][number]!r}: its text needs the collection (-c)")

    def breaks(self, number: int) -> pl.DataFrame:
        """Return no breaks: there is no text."""
        del number
        return pl.DataFrame(schema={"element": pl.Int64, "position": pl.UInt32})


def write_expanded(base: ExpandedBase, path: str | os.PathLike[str]) -> None:
    """Write an expanded base to a file; equal bases give equal bytes."""
    tables = {name: getattr(base.assessments, name) for name in ASSESSMENT_TABLES}
    about = dict(base.about, scale=base.assessments.scale, format_of_assessments=base.assessments.format)
    about["notes"], about["about"] = list(base.assessments.notes), dict(base.assessments.about)
    if isinstance(base.documents, _ExpandedDocuments):
        forest = base.documents.forest(np.arange(len(base.documents)))
        tables["documents"] = base.documents.documents
        tables["forest"] = pl.DataFrame({name: getattr(forest, name) for name in _COLUMNS})
        labels = forest.labels
        tables["labels"] = pl.DataFrame(
            {"parent": labels.parent, "name": labels.name, "namespace": labels.namespace},
            schema={"parent": pl.Int64, "name": pl.String, "namespace": pl.String},
        )
    with write_atomically(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        _add_member(archive, "about.json", json.dumps(about, indent=1, sort_keys=True).encode())
        for name, table in tables.items():
            content = io.BytesIO()
            table.write_parquet(content)
            _add_member(archive, f"{name}.parquet", content.getvalue())


def _add_member(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)


def read_expanded(path: str | os.PathLike[str]) -> ExpandedBase:
    """Read an expanded base that :func:`write_expanded` wrote."""
    name = os.fspath(path)
    data = read_bytes(path)
    try:
        about, tables = _read_members(data, name)
        assessments = Assessments(
            scale=about["scale"],
            format=about["format_of_assessments"],
            notes=tuple(about["notes"]),
            about=dict(about["about"]),
            file=name,
            **{name: table.fit(tables[name]) for name, table in ASSESSMENT_TABLES.items()},  # type: ignore[arg-type]
        )
        return ExpandedBase(assessments, _build_documents(Path(name), tables), about)
    except (*DAMAGE, *_MISFIT, RuntimeError, pl.exceptions.PolarsError) as error:
        raise _make_format_error(name, str(error) or type(error).__name__) from None


def _read_members(data: bytes, name: str) -> tuple[dict[str, Any], dict[str, pl.DataFrame]]:
    """Return the metadata and the tables of a base."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(info.file_size for info in archive.infolist()) > find_limit("unpacked-bytes"):
            raise build_bomb_error(name)
        about = json.loads(archive.read("about.json"))
        if about["format"] != _FORMAT:
            raise ValueError(repr(about["format"]))
        tables = {
            member.removesuffix(".parquet"): pl.read_parquet(io.BytesIO(archive.read(member)))
            for member in archive.namelist()
            if member.endswith(".parquet")
        }
    return about, tables


def _build_documents(path: Path, tables: dict[str, pl.DataFrame]) -> _ExpandedDocuments | None:
    if "documents" not in tables:
        return None
    label_table = tables["labels"]
    labels = LabelPaths(
        label_table["parent"].to_numpy(), tuple(label_table["name"]), tuple(label_table["namespace"])
    )
    counts = tables["documents"]["elements"].to_numpy().astype(np.int64)
    columns = {name: tables["forest"][name].to_numpy() for name in _COLUMNS}
    total = len(columns["label"])
    fits = counts.sum() == total and (columns["label"] < len(labels.name)).all()
    if not fits or (columns["descendants"] >= np.arange(total, 0, -1)).any():
        raise ValueError("elements that do not match its documents")
    forest = Forest(np.concatenate([[0], np.cumsum(counts)]), **columns, labels=labels)
    return _ExpandedDocuments(path, tables["documents"], forest)


def _make_format_error(name: str, found: str) -> InputError:
    return InputError(
        "EXPANDED_FULLRB",
        file=name,
        wanted="a recall base written by doxel (remove the file to have it written again)",
        found=found,
    )


def check_assessments(base: ExpandedBase, assessments: Assessments, path: str) -> None:
    """Raise an error if a base was built from other assessments."""
    if base.about["assessments"] != hash_assessments(assessments):
        raise _make_source_error("the assessments", path, "a recall base of other assessments")


def check_collection(base: ExpandedBase, collection: Collection, path: str) -> None:
    """Raise an error if a base was built from another collection."""
    source = base.about["collection"]
    if source != collection.fingerprint:
        actual = "one built without documents" if source is None else f"one built from collection {source}"
        raise _make_source_error("the collection", path, actual)


def check_sources(base: ExpandedBase, folder: Path, path: str) -> None:
    """Raise an error if the documents of a base differ from the files in a folder."""
    if base.documents is None:
        raise _make_source_error("the collection", path, "one built without documents")
    for source, stored_hash in base.documents.documents.select("source", "source_hash").iter_rows():
        file = folder / source
        if not file.is_file():
            raise _make_source_error("the collection", path, f"a missing document: {file}")
        if compute_digest(read_bytes(file)) != stored_hash:
            raise _make_source_error("the collection", path, f"a different version of {file}")


def _make_source_error(source: str, path: str, found: str) -> InputError:
    return InputError(
        f"EXPANDED_FULLRB was not built from {source}",
        file=path,
        wanted="their recall base (remove the file to have it written again)",
        found=found,
    )
