"""The data of the benchmarks, which are made once and stored.

Each sample is a folder below ``benchmarks/data`` whose name contains a digest of its parameters and of
the code that makes it.  It is used again if both are the same, and replaced otherwise.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generator.campaign import write_bare_campaign, write_campaign, write_document_campaign
from benchmarks.generator.chunks import write_chunks
from benchmarks.generator.collection import PROFILES, documents, write_folders
from benchmarks.measuring import UnavailableError
from doxel import documents as doxel_documents
from doxel.documents.ingestion import ingest

__all__ = ["FULL", "QUICK", "Samples", "Scale"]

_HERE = Path(__file__).resolve().parent
_PLOS = _HERE.parents[1] / "shared" / "data" / "plos-jats"
_GENERATOR = (_HERE / "generator",)


@dataclass(frozen=True)
class Scale:
    """The sizes of the samples, and the number of repetitions."""

    name: str
    documents: int  # IEEE-like: 2,300 hold 1.5 million elements in 104 MB
    ingest_parts: int  # folders of 100 documents for the comparison with lxml: 13 hold 60 MB
    topics: int
    runs: int
    results: int
    element_topics: int  # with 1,500 results each: 171,000
    document_topics: int  # with 1,500 results each in 10 runs: 1.71 million
    judged: int  # documents of each of these topics: 114,000
    chunk_topics: int
    chunk_results: int
    repetitions: int
    real: bool  # measure real articles too, where they are


FULL = Scale(
    "full",
    documents=2_300,
    ingest_parts=13,
    topics=120,
    runs=10,
    results=1_500,
    element_topics=114,
    document_topics=114,
    judged=1_000,
    chunk_topics=1_000,
    chunk_results=1_000,
    repetitions=5,
    real=True,
)
QUICK = Scale(
    "quick",
    documents=60,
    ingest_parts=1,
    topics=5,
    runs=2,
    results=100,
    element_topics=5,
    document_topics=5,
    judged=50,
    chunk_topics=20,
    chunk_results=20,
    repetitions=1,
    real=False,
)


class Samples:
    """Makes samples in a folder, or finds them there."""

    def __init__(self, folder: Path, scale: Scale, *, say: Callable[[str], None] = print) -> None:
        self.folder, self.scale, self._say = folder, scale, say

    def sources(self) -> Path:
        """Return the folder of an IEEE-like collection: ``part-N/*.xml``."""

        def make(folder: Path) -> None:
            write_folders(folder, documents(PROFILES["ieee"], self.scale.documents))

        return self._kept("sources", {"documents": self.scale.documents}, make, _GENERATOR)

    def collection(self) -> Path:
        """Return the same documents as a collection of doxel."""
        sources = self.sources()

        def make(folder: Path) -> None:
            ingest([str(sources)], str(folder))

        code = (*_GENERATOR, Path(doxel_documents.__file__).parent)
        return self._kept("collection", {"sources": sources.name}, make, code)

    def bare_campaign(self) -> Path:
        """Return assessments and FOL runs without a collection."""
        scale = self.scale
        parameters = {"topic_count": scale.topics, "runs": scale.runs, "results": scale.results}
        return self._kept(
            "fol", parameters, lambda folder: write_bare_campaign(folder, **parameters), _GENERATOR
        )

    def document_campaign(self) -> Path:
        """Return grades of documents and rankings of documents, as TREC has them."""
        sizes = {
            "topic_count": self.scale.document_topics,
            "runs": self.scale.runs,
            "results": self.scale.results,
            "judged": self.scale.judged,
        }
        return self._kept("trec", sizes, lambda folder: write_document_campaign(folder, **sizes), _GENERATOR)

    def report_campaign(self) -> Path:
        """Return assessments and many short FOL runs."""
        scale = self.scale
        parameters = {
            "topic_count": scale.topics,
            "runs": 10 * scale.runs,
            "results": min(100, scale.results),
        }
        return self._kept(
            "report", parameters, lambda folder: write_bare_campaign(folder, **parameters), _GENERATOR
        )

    def chunks(self) -> Path:
        """Return gold spans, and a run of overlapping chunks as JSON lines and as Parquet."""
        parameters = {"topic_count": self.scale.chunk_topics, "results": self.scale.chunk_results}
        return self._kept("chunks", parameters, lambda folder: write_chunks(folder, **parameters), _GENERATOR)

    def element_campaign(self) -> Path:
        """Return one run of elements, in columns and in XML."""
        return self._over_collection("elements", self.scale.element_topics, 1, 60, ["thorough", "xml"])

    def gain_campaign(self) -> Path:
        """Return runs of elements with few relevant documents, as in 2005."""
        return self._over_collection("gains", self.scale.topics, self.scale.runs, 25, ["thorough"])

    def _over_collection(self, name: str, topics: int, runs: int, relevant: int, kinds: list[str]) -> Path:
        collection, results = self.collection(), self.scale.results
        sizes = {"topic_count": topics, "runs": runs, "results": results, "relevant": relevant}

        def make(folder: Path) -> None:
            write_campaign(folder, collection, kinds=kinds, **sizes)

        parameters = {"collection": collection.name, "kinds": kinds, **sizes}
        return self._kept(name, parameters, make, _GENERATOR)

    def plos(self) -> Path:
        """Return the real articles beside the project, unpacked."""
        archives = sorted(_PLOS.glob("*.tar.xz"))
        if not archives:
            raise UnavailableError("the articles of ../shared/data/plos-jats are missing")

        def make(folder: Path) -> None:
            with tarfile.open(archives[0]) as opened:
                opened.extractall(folder, filter="data")

        return self._kept("plos", {"archive": archives[0].name}, make, ())

    def scratch(self) -> Path:
        """Return an empty folder for the output of a measurement."""
        folder = self.folder / "scratch"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def tidy(self) -> None:
        """Remove the output of measurements."""
        shutil.rmtree(self.folder / "scratch", ignore_errors=True)

    def _kept(
        self,
        name: str,
        parameters: Mapping[str, object],
        make: Callable[[Path], None],
        code: tuple[Path, ...],
    ) -> Path:
        description = json.dumps(parameters, sort_keys=True)
        stem = f"{self.scale.name}-{name}"
        target = self.folder / f"{stem}-{_digest(description, code)}"
        if target.is_dir():
            return target
        self._say(f"making {target.name}: {description}")
        self.folder.mkdir(parents=True, exist_ok=True)
        for older in self.folder.glob(f"{stem}-*"):
            shutil.rmtree(older)
        unfinished = self.folder / f".{target.name}.{os.getpid()}"
        try:
            make(unfinished)
            unfinished.rename(target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        return target


def _digest(parameters: str, code: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(parameters.encode())
    for folder in code:
        for path in sorted(folder.glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
