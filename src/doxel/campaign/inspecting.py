"""Looking at a campaign, part after part: what was read of one is there to compare the next with."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from doxel.assessments import Assessments, read_assessments
from doxel.assessments.resolve import problems, resolve, unfound
from doxel.campaign.campaign import Campaign
from doxel.campaign.status import CampaignStatus, PartNotes, PartStatus
from doxel.documents import Collection, read_collection
from doxel.errors import DoxelError, InputError
from doxel.evaluation.provenance import source_files
from doxel.evaluation.sets import expand
from doxel.pooling import Pool
from doxel.runs import Run, read_run
from doxel.runs.naming import run_names
from doxel.runs.order import order as in_order
from doxel.runs.resolve import UNKNOWN_DOCUMENT
from doxel.topics import Topics
from doxel.wording import counted, listed

__all__ = ["campaign_status"]

_REPORT = "what 'doxel report' writes"
_ABOUT = ".about.json"  # what the file beside an export is called, after the export


def campaign_status(campaign: Campaign) -> CampaignStatus:
    """Look at all parts of a campaign."""
    return CampaignStatus(campaign.name, tuple(_Inspector(campaign).parts()))


class _Inspector:
    """Reads one part after the other; what was read is there to compare the next with."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.collection: Collection | None = None
        self.topics: Topics | None = None
        self.runs: list[Run] = []
        self.pool: Pool | None = None
        self.assessments: Assessments | None = None

    def parts(self) -> list[PartStatus]:
        """Return the status of all parts."""
        campaign = self.campaign
        looks: list[tuple[str, Path | Sequence[Path], Callable[[PartNotes], None]]] = [
            ("collection", campaign.collection, self._collection),
            ("topics", campaign.candidate, self._topics),
            ("runs", campaign.runs, self._runs),
            ("pool", campaign.pool, self._pool),
            ("assessments", campaign.assessments, self._assessments),
            ("measures", campaign.file, self._measures),
            ("report", campaign.report, self._report),
        ]
        found: list[PartStatus] = []
        for name, where, look in looks:
            part = PartNotes(name, [where] if isinstance(where, Path) else where)
            try:
                look(part)
            except DoxelError as error:
                part.say("wrong", str(error))
            found.append(part.status())
        return found

    @property
    def selected(self) -> list[str]:
        """The topics that runs and pools should have; none where nobody knows."""
        if self.campaign.selected:
            return list(self.campaign.selected)
        return [] if self.topics is None else self.topics.ids

    def _collection(self, part: PartNotes) -> None:
        campaign = self.campaign
        sources = shlex.join(map(str, campaign.sources))
        ingest = f"doxel ingest {sources} -o {shlex.quote(str(campaign.collection))}"
        if not campaign.collection.exists():
            part.say("missing", "not there yet", todo=ingest)
            return
        self.collection = read_collection(campaign.collection)
        part.counts = {"documents": len(self.collection), "fingerprint": self.collection.fingerprint}
        if not self.collection.manifest.complete:
            part.say("incomplete", "its ingestion did not come to its end", todo=ingest)
        if campaign.fingerprint not in {None, self.collection.fingerprint}:
            part.say("stale", f"the configuration names the fingerprint {campaign.fingerprint}")

    def _topics(self, part: PartNotes) -> None:
        campaign = self.campaign
        if not campaign.topic_files:
            part.say("missing", "no files yet")
            return
        self.topics = campaign.read_topics()
        part.counts = {
            "candidate": len(self.topics),
            "selected": len(campaign.selected) or len(self.topics),
            "assessed": len(campaign.assessed) or "all judged",
        }
        for what in ("selected", "assessed"):
            unknown = [one for one in getattr(campaign, what) if one not in set(self.topics.ids)]
            if unknown:
                some = counted(len(unknown), f"{what} topic is", f"{what} topics are")
                part.say("wrong", f"{some} not among the candidates: {listed(unknown)}")

    def _runs(self, part: PartNotes) -> None:
        files = self.campaign.run_files
        if not files:
            part.say("missing", "no files yet")
            return
        fol_end = bool(self.campaign.scoring.get("fol_end"))
        for file in files:
            try:
                self.runs.append(read_run(file, fol_end=fol_end))
            except InputError as error:
                part.say("wrong", str(error))
        part.counts = {"runs": len(self.runs), "results": sum(run.results.height for run in self.runs)}
        for name, run in zip(self._run_names(), self.runs, strict=True):
            known = set(run.topics)
            lacking = [topic for topic in self.selected if topic not in known]
            if lacking:
                topics = counted(len(lacking), "topic")
                part.say("incomplete", f"{name}: no result for {topics}: {listed(lacking)}")

    def _run_names(self) -> list[str]:
        return run_names([(run.id, run.file) for run in self.runs])

    def _pool(self, part: PartNotes) -> None:
        campaign = self.campaign
        again = f"doxel campaign pool {shlex.quote(str(campaign.folder))}"
        if not campaign.pool.exists():
            part.say("missing", "not made yet", todo=again if self.runs else None)
            return
        self.pool = pool = campaign.read_pool()
        part.counts = {"topics": len(pool.topics), "documents": pool.documents.height, "runs": len(pool.runs)}
        if self.collection is not None and pool.fingerprint != self.collection.fingerprint:
            found = pool.fingerprint or "no fingerprint"
            part.say("stale", f"made from other texts than the collection's: {found}", todo=again)
        names = self._run_names()
        new = [name for name in names if name not in set(pool.runs)] if pool.runs else []
        gone = [name for name in pool.runs if name not in set(names)]
        if new:
            some = counted(len(new), "run is", "runs are")
            part.say("stale", f"{some} not in it: {listed(new)}", todo=again)
        if gone:
            some = counted(len(gone), "of its runs is", "of its runs are")
            part.say("stale", f"{some} not there any more: {listed(gone)}", todo=again)
        changed = [
            name for name, run in zip(names, self.runs, strict=True) if not self._still_gives(name, run)
        ]
        if changed:
            some = counted(len(changed), "run has", "runs have")
            part.say("stale", f"{some} changed since: {listed(changed)}", todo=again)
        lacking = [topic for topic in self.selected if topic not in set(pool.topics)]
        if lacking:
            some = counted(len(lacking), "topic is", "topics are")
            part.say("incomplete", f"{some} not in it: {listed(lacking)}", todo=again)

    def _still_gives(self, name: str, run: Run) -> bool:
        """Tell whether a run still has the pooled document at every rank that was pooled."""
        if self.pool is None:
            return True
        given = self.pool.contributions.filter(pl.col("run") == name).select("topic", "rank", "doc")
        ranked = in_order(run.results, by=self.campaign.ranking.get("order", "rank"))
        found = ranked.select("topic", pl.col("position").alias("rank"), pl.col("doc").alias("now"))
        together = given.join(found, on=["topic", "rank"], how="left")
        now = together["now"]
        if self.collection is not None:
            number = pl.Series(self.collection.numbers(now), dtype=pl.Int64).replace(-1, None)
            now = self.collection.documents["doc"].gather(number)
        return bool((together["doc"] == now).fill_null(value=False).all())

    def _assessments(self, part: PartNotes) -> None:
        campaign = self.campaign
        if not campaign.assessment_files:
            part.say("missing", "no files yet")
            return
        self.assessments = judged = read_assessments(campaign.assessment_files)
        part.counts = {"topics": len(judged.topics), "documents": judged.judged.height}
        wanted = list(campaign.assessed) or self.selected
        lacking = [topic for topic in wanted if topic not in set(judged.topics)]
        if lacking:
            some = counted(len(lacking), "topic is", "topics are")
            part.say("incomplete", f"{some} not judged: {listed(lacking)}")
        known = set(self.topics.ids) if self.topics is not None else None
        strange = [topic for topic in judged.topics if known is not None and topic not in known]
        if strange:
            some = counted(len(strange), "judged topic is", "judged topics are")
            part.say("stale", f"{some} not among the candidates: {listed(strange)}")
        self._compare_texts(part, judged)
        self._compare_with_pool(part, judged)

    def _compare_texts(self, part: PartNotes, judged: Assessments) -> None:
        """Compare what was judged with the collection."""
        if self.collection is None:
            return
        docs = judged.judged["doc"].unique(maintain_order=True)
        unknown = docs.filter(self.collection.numbers(docs) < 0).to_list()
        if unknown:
            some = counted(len(unknown), "judged document is", "judged documents are")
            part.say("stale", f"{some} not in the collection: {listed(unknown)}")
        found = problems(resolve(judged, self.collection))
        for sentence in unfound(found.filter(pl.col("problem") != UNKNOWN_DOCUMENT)):
            part.say("stale", sentence)
        own = self.collection.fingerprint
        others = {name: said for name, said in self._fingerprints().items() if said != own}
        for name, said in others.items():
            part.say("stale", f"{name} judges other texts than the collection's: {said}")

    def _fingerprints(self) -> dict[str, str]:
        """Return of which texts exported assessments are, as the files beside them say."""
        found: dict[str, str] = {}
        for file in self.campaign.assessment_files:
            beside = file.with_name(file.name + _ABOUT)
            if beside.is_file():
                said = _read_json(beside, "fingerprint", what="what an export says of itself")["fingerprint"]
                found[file.name] = str(said)
        return found

    def _compare_with_pool(self, part: PartNotes, judged: Assessments) -> None:
        """Count the pooled documents of judged topics that nobody has judged."""
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
            some = counted(len(left), "pooled document", "pooled documents")
            verb = "is" if len(left) == 1 else "are"
            part.say("incomplete", f"{some} of judged topics {verb} not judged, {first}")

    def _measures(self, part: PartNotes) -> None:
        if self.campaign.measures:
            part.counts = {"measures": len(expand(self.campaign.measures))}
        else:
            part.counts = {"measures": "those of each run's task"}

    def _report(self, part: PartNotes) -> None:
        campaign = self.campaign
        again = f"doxel campaign report {shlex.quote(str(campaign.folder))}"
        file = campaign.report / "report.json"
        if not file.is_file():
            part.say("missing", "not written yet", todo=again if self.runs and self.assessments else None)
            return
        report = _read_json(file, "runs", "topics", what=_REPORT)
        try:
            part.counts = {"runs": len(report["runs"]), "topics": len(report["topics"])}
            fingerprint = (report.get("collection") or {}).get("fingerprint")
            then = {
                (one["role"], one["sha256"])
                for one in report.get("files", ())
                if one["role"] in {"run", "assessments"}
            }
        except (TypeError, AttributeError, KeyError) as error:
            raise InputError("a JSON file", file=str(file), wanted=_REPORT, found=str(error)) from None
        if self.collection is not None and fingerprint not in {None, self.collection.fingerprint}:
            part.say("stale", "written for other texts than the collection's", todo=again)
        now = {
            (one.role, one.sha256)
            for role, files in (("run", campaign.run_files), ("assessments", campaign.assessment_files))
            for one in source_files(role, files)
        }
        changed = {role for role, _ in now ^ then}
        if changed:
            which = " and ".join(sorted("runs" if role == "run" else role for role in changed))
            part.say("stale", f"{which} have changed since it was written", todo=again)


def _read_json(file: Path, *keys: str, what: str) -> dict[str, Any]:
    """Return the object in a file, which must have some keys."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError("cannot be read", file=str(file), wanted=what, found=str(error)) from None
    if isinstance(found, dict) and found.keys() >= set(keys):
        return found
    raise InputError("a JSON file", file=str(file), wanted=f"{what}: an object with {', '.join(keys)}")
