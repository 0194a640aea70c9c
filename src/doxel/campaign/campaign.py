"""A campaign: the paths of its collection, topics, runs, pool and assessments, and how it is scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from doxel.arguments import check_methods
from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessments import select_topics
from doxel.documents import Collection, read_collection
from doxel.errors import CollectionError, InputError
from doxel.files import explain_os_error
from doxel.files.archives import is_companion
from doxel.pooling import Pool, read_pool
from doxel.topics import Topics, read_topics

__all__ = ["SITE_DATABASE", "Campaign", "PoolSettings", "list_files"]

SITE_DATABASE = "assess.sqlite"
"""The default name of the database of 'doxel assess', in the folder of the campaign."""


@dataclass(frozen=True)
class PoolSettings:
    """The options of a campaign's pool, named as in :func:`doxel.pool`."""

    depth: int | None = None
    count: str = "documents"
    documents: int | None = None
    judging: str = "shuffled"
    seed: int = 0


@check_methods
@dataclass(frozen=True)
class Campaign:
    """The paths of a campaign's parts, and how it is scored; :func:`doxel.read_campaign` reads one.

    All paths can be opened as they are; in the configuration they are relative to ``folder``.
    They need not exist: the parts of a campaign are added step by step.

    Attributes
    ----------
    file, folder
        The configuration file, and its folder.
    name
        The name of the campaign.
    collection, sources, fingerprint
        The collection, its source documents, and the fingerprint it must have (None for any).
    candidate
        Files and folders with all proposed topics.
    selected, assessed
        Ids of the released topics, and of those that are scored; empty for all.
    runs
        Files, folders and patterns; ``run_files`` lists the files.
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
        """The existing run files, in order of name."""
        return list_files(self.runs)

    @property
    def topic_files(self) -> list[Path]:
        """The existing topic files."""
        return list_files(self.candidate)

    @property
    def assessment_files(self) -> list[Path]:
        """The existing assessment files; without any, the database of the campaign's assessment site."""
        site = self.folder / SITE_DATABASE
        return list_files(self.assessments) or ([site] if site.exists() else [])

    @property
    def ranking(self) -> dict[str, Any]:
        """The options for reading rankings, ``order`` and ``fol_end``, if the configuration sets them."""
        return {name: self.scoring[name] for name in ("order", "fol_end") if name in self.scoring}

    def read_collection(self) -> Collection:
        """Open the collection; raise an error if its fingerprint is not the configured one."""
        opened = read_collection(self.collection)
        if self.fingerprint is not None and opened.fingerprint != self.fingerprint:
            raise CollectionError(
                f"{self.collection}: the texts differ from those of the campaign: wanted the fingerprint "
                f"{self.fingerprint} of {self.file}, found {opened.fingerprint}"
            )
        return opened

    def read_topics(self) -> Topics:
        """Read all candidate topics."""
        return read_topics(self._require_files("topics", self.topic_files, self.candidate))

    def read_selected(self) -> Topics:
        """Read the selected topics in the order of the configuration, or all topics if it names none."""
        topics = self.read_topics()
        if not self.selected:
            return topics
        selected = [topics[topic] for topic in self.selected]
        return replace(Topics.of(selected), format=topics.format, notes=topics.notes)

    def read_pool(self) -> Pool:
        """Read the pool."""
        return read_pool(self.pool)

    def read_assessments(self) -> Assessments:
        """Read the assessments of the topics that are scored."""
        assessments = read_assessments(
            self._require_files("assessments", self.assessment_files, self.assessments)
        )
        if not self.assessed:
            return assessments
        scored = select_topics(assessments, self.assessed)
        if not scored.judged.height:
            raise InputError(
                "none of the assessed topics was judged",
                file=str(self.file),
                wanted=f"assessments of {', '.join(self.assessed[:5])}",
                found=f"assessments of {', '.join(assessments.topics[:5])}",
            )
        return scored

    @staticmethod
    def _require_files(label: str, files: list[Path], sources: Sequence[Path]) -> list[Path]:
        if not files:
            listed = ", ".join(map(str, sources))
            raise InputError(f"the campaign has no {label} yet", wanted=f"files in {listed}", found="none")
        return files


def list_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files in paths, folders and patterns, each once, in order of name.

    Hidden files are left out, and so are files that only describe their folder, such as a README.
    """
    files: dict[Path, None] = {}
    for path in paths:
        try:
            files.update(dict.fromkeys(_list_path(path)))
        except OSError as error:  # the folder may be deleted meanwhile
            raise InputError(f"cannot be read: {explain_os_error(error)}", file=str(path)) from error
    return list(files)


def _list_path(path: Path) -> list[Path]:
    if path.is_dir():
        return _list_folder(path)
    if path.exists():
        return [path]
    return _list_pattern(path) if any(sign in str(path) for sign in "*?[") else []


def _list_folder(folder: Path) -> list[Path]:
    inside = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in inside if _is_input(path.relative_to(folder))]


def _list_pattern(pattern: Path) -> list[Path]:
    steps = pattern.parts
    first = next(place for place, step in enumerate(steps) if any(sign in step for sign in "*?["))
    top = Path(*steps[:first])
    inside = sorted(path for path in top.glob(str(Path(*steps[first:]))) if path.is_file())
    return [path for path in inside if _is_input(path.relative_to(top))]


def _is_input(path: Path) -> bool:
    return not is_companion(path.name) and not any(step.startswith(".") for step in path.parts)
