"""The status of a campaign: the parts that exist, are missing, or no longer match the rest.

Each part of a campaign has one state: ``missing`` (does not exist yet), ``incomplete``, ``stale`` (made from
something that has changed since), ``wrong`` (cannot be used), or ``ready``.  The parts are read one by one,
and each is compared with those read before.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessment_spans import count_problems, describe_problems, resolve_assessments
from doxel.campaign.campaign import Campaign
from doxel.documents import Collection, read_collection
from doxel.documents.verification import verify_collection
from doxel.errors import DoxelError, InputError
from doxel.evaluation.analysis.findings import hash_source_files
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.files.named_sources import is_site_database, load_site_function
from doxel.pooling import Pool
from doxel.runs import Run, read_run
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import UNKNOWN_DOCUMENT
from doxel.runs.run import name_runs
from doxel.topics import Topics
from doxel.wording import join_words, pluralise

__all__ = ["STATES", "CampaignStatus", "PartStatus", "inspect_campaign"]

STATES = ("ready", "incomplete", "missing", "stale", "wrong")


@dataclass(frozen=True)
class PartStatus:
    """The status of one part of a campaign: its path, state, counts, problems and next command.

    ``counts`` are figures by name, ``matters`` sentences about problems, ``todo`` a command to run, or None.
    """

    part: str
    where: str
    state: str
    counts: dict[str, int | str]
    matters: tuple[str, ...] = ()
    todo: str | None = None


@dataclass(frozen=True)
class CampaignStatus:
    """The status of all parts, in the order in which a campaign is built."""

    name: str
    parts: tuple[PartStatus, ...]

    def __getitem__(self, part: str) -> PartStatus:
        for status in self.parts:
            if status.part == part:
                return status
        wanted = ", ".join(status.part for status in self.parts)
        raise InputError("part of a campaign", wanted=f"one of {wanted}", found=repr(part))

    @property
    def fits(self) -> bool:
        """Whether the existing parts match one another: nothing is stale or wrong."""
        return not any(status.state in {"stale", "wrong"} for status in self.parts)


class _PartNotes:
    """Collects the problems of one part; its state is the most serious one reported."""

    def __init__(self, name: str, where: Sequence[Path]) -> None:
        self.name, self.where = name, ", ".join(map(str, where))
        self.counts: dict[str, int | str] = {}
        self._state, self._todo = "ready", ""
        self._matters: list[str] = []

    def report(self, state: str, matter: str, *, todo: str | None = None) -> None:
        """Add a problem, and the command that solves it."""
        self._state = max(self._state, state, key=STATES.index)
        self._matters.append(matter)
        self._todo = self._todo or todo or ""

    def status(self) -> PartStatus:
        """Return the status of the part."""
        return PartStatus(
            self.name, self.where, self._state, self.counts, tuple(self._matters), self._todo or None
        )


_REPORT = "a report.json written by 'doxel report'"
_ABOUT = ".about.json"  # added to the name of an export


def inspect_campaign(campaign: Campaign, *, verify: bool = False) -> CampaignStatus:
    """Return the status of all parts of a campaign; ``verify`` reads all files of the collection."""
    return CampaignStatus(campaign.name, tuple(_CampaignInspector(campaign, verify=verify).parts()))


class _CampaignInspector:
    """Reads the parts one after another, and compares each with those read before."""

    def __init__(self, campaign: Campaign, *, verify: bool) -> None:
        self.campaign, self.verify = campaign, verify
        self.collection: Collection | None = None
        self.topics: Topics | None = None
        self.runs: list[Run] = []
        self.pool: Pool | None = None
        self.assessments: Assessments | None = None

    def parts(self) -> list[PartStatus]:
        """Return the status of all parts."""
        campaign = self.campaign
        inspections: list[tuple[str, Path | Sequence[Path], Callable[[_PartNotes], None]]] = [
            ("collection", campaign.collection, self._inspect_collection),
            ("topics", campaign.candidate, self._inspect_topics),
            ("runs", campaign.runs, self._inspect_runs),
            ("pool", campaign.pool, self._inspect_pool),
            ("assessments", campaign.assessments, self._inspect_assessments),
            ("measures", campaign.file, self._measures),
            ("report", campaign.report, self._inspect_report),
        ]
        statuses: list[PartStatus] = []
        for name, where, inspect in inspections:
            part = _PartNotes(name, [where] if isinstance(where, Path) else where)
            try:
                inspect(part)
            except DoxelError as error:
                part.report("wrong", str(error))
            statuses.append(part.status())
        return statuses

    @property
    def selected(self) -> list[str]:
        """The topics that runs and pools should have; empty if unknown."""
        if self.campaign.selected:
            return list(self.campaign.selected)
        return [] if self.topics is None else self.topics.ids

    def _inspect_collection(self, part: _PartNotes) -> None:
        campaign = self.campaign
        sources = shlex.join(map(str, campaign.sources))
        ingest = f"doxel ingest {sources} -o {shlex.quote(str(campaign.collection))}"
        if not campaign.collection.exists():
            part.report("missing", "does not exist yet", todo=ingest)
            return
        if self.verify:
            self._verify_collection(part)
        self.collection = read_collection(campaign.collection)
        part.counts = {"documents": len(self.collection), "fingerprint": self.collection.fingerprint}
        if not self.collection.manifest.complete:
            part.report("incomplete", "its ingestion was interrupted", todo=ingest)
        if campaign.fingerprint not in {None, self.collection.fingerprint}:
            part.report("stale", f"its fingerprint is not the configured one, {campaign.fingerprint}")

    def _verify_collection(self, part: _PartNotes) -> None:
        verification = verify_collection(self.campaign.collection)
        for problem in verification.problems:
            part.report("wrong", problem)
        if self.campaign.fingerprint not in {None, verification.fingerprint}:
            fingerprint = verification.fingerprint or "none"
            part.report("stale", f"the fingerprint of its texts, {fingerprint}, is not the configured one")

    def _inspect_topics(self, part: _PartNotes) -> None:
        campaign = self.campaign
        if not campaign.topic_files:
            part.report("missing", "no files yet")
            return
        self.topics = campaign.read_topics()
        part.counts = {
            "candidate": len(self.topics),
            "selected": len(campaign.selected) or len(self.topics),
            "assessed": len(campaign.assessed) or "all judged",
        }
        for kind in ("selected", "assessed"):
            unknown = [topic for topic in getattr(campaign, kind) if topic not in set(self.topics.ids)]
            if unknown:
                topics = pluralise(len(unknown), f"{kind} topic is", f"{kind} topics are")
                part.report("wrong", f"{topics} not among the candidates: {join_words(unknown)}")

    def _inspect_runs(self, part: _PartNotes) -> None:
        files = self.campaign.run_files
        if not files:
            part.report("missing", "no files yet")
            return
        fol_end = bool(self.campaign.scoring.get("fol_end"))
        for file in files:
            try:
                self.runs.append(read_run(file, fol_end=fol_end))
            except InputError as error:
                part.report("wrong", str(error))
        part.counts = {"runs": len(self.runs), "results": sum(run.results.height for run in self.runs)}
        for name, run in zip(self._run_names(), self.runs, strict=True):
            answered = set(run.topics)
            unanswered = [topic for topic in self.selected if topic not in answered]
            if unanswered:
                topics = pluralise(len(unanswered), "topic")
                part.report("incomplete", f"{name}: no results for {topics}: {join_words(unanswered)}")

    def _run_names(self) -> list[str]:
        return name_runs([(run.id, run.file) for run in self.runs])

    def _inspect_pool(self, part: _PartNotes) -> None:
        campaign = self.campaign
        again = f"doxel campaign pool {shlex.quote(str(campaign.folder))}"
        if not campaign.pool.exists():
            part.report("missing", "not made yet", todo=again if self.runs else None)
            return
        self.pool = pool = campaign.read_pool()
        part.counts = {"topics": len(pool.topics), "documents": pool.documents.height, "runs": len(pool.runs)}
        if self.collection is not None and pool.fingerprint != self.collection.fingerprint:
            fingerprint = pool.fingerprint or "none"
            part.report("stale", f"made for other texts (fingerprint: {fingerprint})", todo=again)
        names = self._run_names()
        new = [name for name in names if name not in set(pool.runs)] if pool.runs else []
        gone = [name for name in pool.runs if name not in set(names)]
        if new:
            runs = pluralise(len(new), "run is", "runs are")
            part.report("stale", f"{runs} not in the pool: {join_words(new)}", todo=again)
        if gone:
            runs = pluralise(len(gone), "pooled run no longer exists", "pooled runs no longer exist")
            part.report("stale", f"{runs}: {join_words(gone)}", todo=again)
        changed = [
            name for name, run in zip(names, self.runs, strict=True) if not self._still_gives(name, run)
        ]
        if changed:
            runs = pluralise(len(changed), "run has", "runs have")
            part.report("stale", f"{runs} changed since: {join_words(changed)}", todo=again)
        unpooled = [topic for topic in self.selected if topic not in set(pool.topics)]
        if unpooled:
            topics = pluralise(len(unpooled), "topic is", "topics are")
            part.report("incomplete", f"{topics} not in the pool: {join_words(unpooled)}", todo=again)

    def _still_gives(self, name: str, run: Run) -> bool:
        """Return whether a run still has the pooled document at every pooled rank."""
        if self.pool is None:
            return True
        pooled = self.pool.contributions.filter(pl.col("run") == name).select("topic", "rank", "doc")
        ranked = order_results(run.results, by=self.campaign.ranking.get("order", "rank"))
        current = ranked.select("topic", pl.col("position").alias("rank"), pl.col("doc").alias("now"))
        joined = pooled.join(current, on=["topic", "rank"], how="left")
        now = joined["now"]
        if self.collection is not None:
            number = pl.Series(self.collection.numbers(now), dtype=pl.Int64).replace(-1, None)
            now = self.collection.documents["doc"].gather(number)
        return bool((joined["doc"] == now).fill_null(value=False).all())

    def _inspect_assessments(self, part: _PartNotes) -> None:
        campaign = self.campaign
        if not campaign.assessment_files:
            part.report("missing", "no files yet")
            return
        if all(map(is_site_database, campaign.assessment_files)):
            part.where = ", ".join(map(str, campaign.assessment_files))
            read_site = load_site_function("read_site_assessments")
            if not any(read_site(str(file)).judged.height for file in campaign.assessment_files):
                part.report("missing", "no document of an official assignment is done yet")
                return
        self.assessments = judged = read_assessments(campaign.assessment_files)
        part.counts = {"topics": len(judged.topics), "documents": judged.judged.height}
        expected = list(campaign.assessed) or self.selected
        unjudged = [topic for topic in expected if topic not in set(judged.topics)]
        if unjudged:
            topics = pluralise(len(unjudged), "topic is", "topics are")
            part.report("incomplete", f"{topics} not judged: {join_words(unjudged)}")
        candidates = set(judged.topics) if self.topics is None else set(self.topics.ids)
        unknown = [topic for topic in judged.topics if topic not in candidates]
        if unknown:
            topics = pluralise(len(unknown), "judged topic is", "judged topics are")
            part.report("stale", f"{topics} not among the candidates: {join_words(unknown)}")
        self._compare_texts(part, judged)
        self._compare_with_pool(part, judged)

    def _compare_texts(self, part: _PartNotes, judged: Assessments) -> None:
        """Compare the assessments with the collection."""
        if self.collection is None:
            return
        docs = judged.judged["doc"].unique(maintain_order=True)
        unknown = docs.filter(self.collection.numbers(docs) < 0).to_list()
        if unknown:
            documents = pluralise(len(unknown), "judged document is", "judged documents are")
            part.report("stale", f"{documents} not in the collection: {join_words(unknown)}")
        unresolved = count_problems(resolve_assessments(judged, self.collection))
        for sentence in describe_problems(unresolved.filter(pl.col("problem") != UNKNOWN_DOCUMENT)):
            part.report("stale", sentence)
        own = self.collection.fingerprint
        for name, fingerprint in self._fingerprints().items():
            if fingerprint != own:
                part.report("stale", f"{name} was exported for other texts (fingerprint: {fingerprint})")

    def _fingerprints(self) -> dict[str, str]:
        """Return the collection fingerprints of exported assessments, from the files beside them."""
        fingerprints: dict[str, str] = {}
        for file in self.campaign.assessment_files:
            beside = file.with_name(file.name + _ABOUT)
            if beside.is_file():
                about = _read_json(beside, "fingerprint", label="the description of an export")
                fingerprints[file.name] = str(about["fingerprint"])
        return fingerprints

    def _compare_with_pool(self, part: _PartNotes, judged: Assessments) -> None:
        """Count the pooled documents of judged topics that are not judged."""
        if self.pool is None:
            return
        topics = set(self.campaign.assessed or judged.topics)
        pairs = set(judged.judged.select("topic", "doc").iter_rows())
        if self.collection is not None:
            ids = self.collection.documents["doc"]
            numbers = self.collection.numbers(judged.judged["doc"])
            rows = zip(judged.judged["topic"], numbers.tolist(), strict=True)
            pairs = {(topic, ids[number]) for topic, number in rows if number >= 0}
        pooled = self.pool.documents.select("topic", "doc").iter_rows()
        left = [(topic, doc) for topic, doc in pooled if topic in topics and (topic, doc) not in pairs]
        if left:
            topic, doc = left[0]
            first = f"such as {doc} for topic {topic}"
            documents = pluralise(len(left), "pooled document", "pooled documents")
            verb = "is" if len(left) == 1 else "are"
            part.report("incomplete", f"{documents} of judged topics {verb} not judged, {first}")

    def _measures(self, part: _PartNotes) -> None:
        if self.campaign.measures:
            part.counts = {"measures": len(expand_sets(self.campaign.measures, run_files=False))}
        else:
            part.counts = {"measures": "official set of each run's task"}

    def _inspect_report(self, part: _PartNotes) -> None:
        campaign = self.campaign
        again = f"doxel campaign report {shlex.quote(str(campaign.folder))}"
        file = campaign.report / "report.json"
        if not file.is_file():
            part.report("missing", "not written yet", todo=again if self.runs and self.assessments else None)
            return
        report = _read_json(file, "runs", "topics", label=_REPORT)
        try:
            part.counts = {"runs": len(report["runs"]), "topics": len(report["topics"])}
            fingerprint = (report.get("collection") or {}).get("fingerprint")
            then = {
                (source["role"], source["sha256"])
                for source in report.get("files", ())
                if source["role"] in {"run", "assessments"}
            }
        except (TypeError, AttributeError, KeyError) as error:
            raise InputError("not a report", file=str(file), wanted=_REPORT, found=str(error)) from None
        if self.collection is not None and fingerprint not in {None, self.collection.fingerprint}:
            part.report("stale", "written for other texts than those of the collection", todo=again)
        now = {
            (source.role, source.sha256)
            for role, files in (("run", campaign.run_files), ("assessments", campaign.assessment_files))
            for source in hash_source_files(role, files)
        }
        changed = {role for role, _ in now ^ then}
        if changed:
            which = " and ".join(sorted("runs" if role == "run" else role for role in changed))
            part.report("stale", f"{which} have changed since it was written", todo=again)


def _read_json(file: Path, *keys: str, label: str) -> dict[str, Any]:
    """Return the JSON object in a file, which must have the given keys."""
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("cannot be read", file=str(file), wanted=label, found=str(error)) from None
    if isinstance(content, dict) and content.keys() >= set(keys):
        return content
    raise InputError("cannot be read", file=str(file), wanted=f"{label}: an object with {', '.join(keys)}")
