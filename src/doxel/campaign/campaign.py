"""A campaign: a collection, topics, runs, a pool, assessments and measures that belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from doxel.assessments import Assessments, read_assessments
from doxel.assessments.selecting import of_topics
from doxel.documents import Collection, read_collection
from doxel.errors import CollectionError, InputError
from doxel.files import explain_os_error
from doxel.files.sets import is_companion
from doxel.pooling import Pool, read_pool
from doxel.topics import Topics, read_topics

__all__ = ["Campaign", "PoolSettings", "files_in"]


@dataclass(frozen=True)
class PoolSettings:
    """How the pool of a campaign is made: the options of :func:`doxel.pool` of the same names."""

    depth: int | None = None
    count: str = "documents"
    documents: int | None = None
    judging: str = "shuffled"
    seed: int = 0


@dataclass(frozen=True)
class Campaign:
    """Where the parts of a campaign are, and how it is scored; :func:`doxel.read_campaign` reads one.

    All paths are as the program may open them; the configuration has them relative to ``folder``.
    Nothing says that they exist: a campaign comes into being step by step.

    Attributes
    ----------
    file, folder
        The configuration, and the folder it lies in.
    name
        What the campaign is called.
    collection, sources, fingerprint
        The collection, what it is made from, and what its fingerprint must be; None for any.
    candidate
        Files and folders of all topics that were proposed.
    selected, assessed
        Ids of the topics that were released, and of those that count in scores; empty for all.
    runs
        Files, folders and patterns; ``run_files`` are the files.
    pool, pooling
        The pool's file, and how it is made.
    assessments
        Files and folders.
    measures, scoring
        Measures and sets, and further options of :func:`doxel.evaluate` by name.
    report
        The folder of the report.
    """

    file: Path
    folder: Path
    name: str
    collection: Path
    sources: tuple[Path, ...]
    fingerprint: str | None
    candidate: tuple[Path, ...]
    selected: tuple[str, ...]
    assessed: tuple[str, ...]
    runs: tuple[Path, ...]
    pool: Path
    pooling: PoolSettings
    assessments: tuple[Path, ...]
    measures: tuple[str, ...]
    report: Path
    scoring: Mapping[str, Any] = field(default_factory=dict)

    @property
    def run_files(self) -> list[Path]:
        """The files of runs that there are, in order of name."""
        return files_in(self.runs)

    @property
    def topic_files(self) -> list[Path]:
        """The files of topics that there are."""
        return files_in(self.candidate)

    @property
    def assessment_files(self) -> list[Path]:
        """The files of assessments that there are."""
        return files_in(self.assessments)

    @property
    def ranking(self) -> dict[str, Any]:
        """How rankings are read, for pools as for scores: ``order`` and ``fol_end``, where they are said."""
        return {name: self.scoring[name] for name in ("order", "fol_end") if name in self.scoring}

    def read_collection(self) -> Collection:
        """Open the collection; one with other texts than the configuration names is refused."""
        opened = read_collection(self.collection)
        if self.fingerprint is not None and opened.fingerprint != self.fingerprint:
            raise CollectionError(
                f"{self.collection}: not the texts of the campaign: wanted the fingerprint "
                f"{self.fingerprint} of {self.file}, found {opened.fingerprint}"
            )
        return opened

    def read_topics(self) -> Topics:
        """Read all candidate topics."""
        return read_topics(self._there("topics", self.topic_files, self.candidate))

    def read_selected(self) -> Topics:
        """Read the selected topics, in the order of the configuration; all where it names none."""
        topics = self.read_topics()
        if not self.selected:
            return topics
        chosen = [topics[topic] for topic in self.selected]
        return replace(Topics.of(chosen), format=topics.format, notes=topics.notes)

    def read_pool(self) -> Pool:
        """Read the pool."""
        return read_pool(self.pool)

    def read_assessments(self) -> Assessments:
        """Read the assessments of the topics that count."""
        read = read_assessments(self._there("assessments", self.assessment_files, self.assessments))
        if not self.assessed:
            return read
        kept = of_topics(read, self.assessed)
        if not kept.judged.height:
            raise InputError(
                "no assessed topic was judged",
                file=str(self.file),
                wanted=f"assessments of {', '.join(self.assessed[:5])}",
                found=f"those of {', '.join(read.topics[:5])}",
            )
        return kept

    def _there(self, what: str, found: list[Path], named: Sequence[Path]) -> list[Path]:
        if not found:
            listed = ", ".join(map(str, named))
            raise InputError(f"the campaign has no {what} yet", wanted=f"files in {listed}", found="none")
        return found


def files_in(paths: Sequence[Path]) -> list[Path]:
    """Return the files that paths, folders and patterns stand for, each once, in order of name.

    Hidden files are left out, and of folders the files that only describe them, such as a README.
    """
    found: dict[Path, None] = {}
    for path in paths:
        try:
            found.update(dict.fromkeys(_files_at(path)))
        except OSError as error:  # a folder that goes away while one looks into it
            raise InputError(f"cannot be read: {explain_os_error(error)}", file=str(path)) from error
    return list(found)


def _files_at(path: Path) -> list[Path]:
    if path.is_dir():
        return _files_of(path)
    if path.exists():
        return [path]
    return _matching(path) if any(sign in str(path) for sign in "*?[") else []


def _files_of(folder: Path) -> list[Path]:
    inside = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in inside if _counts(path.relative_to(folder))]


def _matching(pattern: Path) -> list[Path]:
    steps = pattern.parts
    first = next(place for place, step in enumerate(steps) if any(sign in step for sign in "*?["))
    top = Path(*steps[:first])
    inside = sorted(path for path in top.glob(str(Path(*steps[first:]))) if path.is_file())
    return [path for path in inside if _counts(path.relative_to(top))]


def _counts(path: Path) -> bool:
    return not is_companion(path.name) and not any(step.startswith(".") for step in path.parts)
