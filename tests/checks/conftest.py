"""A small collection, and cases written to files."""

import shutil
from pathlib import Path

import pytest

from checks.cases import SOURCES
from documents.commands import change_manifest, write_files
from doxel.documents.ingestion import ingest


@pytest.fixture(scope="session")
def small_collection(tmp_path_factory) -> Path:
    """Return the collection of the two documents of the cases."""
    folder = write_files(tmp_path_factory.mktemp("sources"), SOURCES)
    ingest([str(folder)], str(folder / "c.doxel"))
    return folder / "c.doxel"


@pytest.fixture
def laid_out(tmp_path, small_collection):
    """Return a function that writes the files of a case and returns the arguments of ``check``."""

    def write(case):
        files_by_kind = {kind: getattr(case, kind) for kind in ("runs", "assessments", "topics")}
        options = {
            kind: [write_files(tmp_path / kind, {name: text}) / name for name, text in files.items()]
            for kind, files in files_by_kind.items()
        }
        collection = small_collection
        if case.about.get("complete") == "no":
            collection = shutil.copytree(small_collection, tmp_path / "c.doxel")
            change_manifest(collection, lambda data: data.update(complete=False))
        settings = {"task": case.task, "structure": case.structure}
        return options | settings | {"collection": collection if case.collection else None}

    return write
