"""Targets of fuzzing: every reader, followed by the processing that commands do."""

from __future__ import annotations

import dataclasses
import gzip
import json
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

import doxel
from doxel.assess.document_styles import read_styles
from doxel.assess.store.backup import restore_backup, write_backup
from doxel.assess.store.database import open_store
from doxel.assessments.assessment_conversion import convert_assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.campaign.campaign_status import inspect_campaign
from doxel.checks.checker import check_inputs
from doxel.errors import DoxelError, InputError, MeasureError, QueryError
from doxel.evaluation.compat.evalj.evalj_configuration import read_plan
from doxel.evaluation.compat.evalj.evalj_recall_base import expand_recall_base, read_expanded, write_expanded
from doxel.evaluation.inputs.chunk_tables import as_chunks
from doxel.runs.result_spans import resolve_run
from doxel.runs.run_conversion import convert_run
from doxel.runs.run_files import RUN_FORMATS
from doxel.topics.nexi.query_explanation import explain
from doxel.topics.nexi.query_matching import find_conforming_elements, find_target_labels
from doxel.topics.nexi.query_parser import parse
from doxel.topics.nexi.query_tree import to_text
from doxel.topics.topic_files import TOPIC_FORMATS, convert_topics
from doxel.topics.topic_summary import describe_topics
from fuzz import seeds

__all__ = ["TARGETS", "Target", "fruit"]


@dataclasses.dataclass(frozen=True)
class Target:
    """Files to corrupt, and a function that uses the folder that contains them.

    ``spared`` are files that are not corrupted.
    """

    name: str
    files: Callable[[], Mapping[str, bytes]]
    use: Callable[[Path], object]
    spared: tuple[str, ...] = ()

    def prey(self) -> list[str]:
        """Return the files that may be corrupted."""
        return [name for name in self.files() if name not in self.spared]


@cache
def fruit() -> Path:
    """Return a folder with the collection of all small sources, created once per process."""
    folder = Path(tempfile.mkdtemp(prefix="doxel-fuzz-"))
    for name, text in seeds.SOURCES.items():
        (folder / name).write_text(text, encoding="utf-8")
    doxel.ingest([folder / "apples.xml", folder / "pears.md"], folder / "fruit.doxel", jobs=1)
    # a second ingestion creates a second part
    doxel.ingest([folder / name for name in seeds.SOURCES], folder / "fruit.doxel", jobs=1)
    return folder


@cache
def collection() -> doxel.Collection:
    """Return the collection of all small sources."""
    return doxel.read_collection(fruit() / "fruit.doxel")


def _only(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def _files(texts: Mapping[str, str]) -> Mapping[str, bytes]:
    return {name: text.encode() for name, text in texts.items()}


def _attempt(step: Callable[[], object]) -> None:
    """Run a step that may be refused, such as writing to a format that cannot store the data."""
    try:
        step()
    except DoxelError as error:
        str(error)


def use_topics(folder: Path) -> None:
    """Read topics, describe them, convert them to every format."""
    topics = doxel.read_topics(_only(folder))
    describe_topics(topics)
    for target in TOPIC_FORMATS:
        _attempt(lambda target=target: target.write(convert_topics(topics, target).thing))


def use_run(folder: Path) -> None:
    """Read a run, find it in the collection, score it, check it, convert it to every format."""
    run = doxel.read_run(_only(folder))
    resolve_run(run, collection())
    gold = [("1", "apples", 6, 26), ("2", "pears", 2, 9)]
    measures = ["nxCG@5", "MAep", "char_prec@3", "MAiP(task=thorough)", "gP@2", "GR@5", "overlap@5"]
    doxel.evaluate([run], gold, measures, collection=collection(), on_error="skip")
    check_inputs([run], collection=collection())
    for target in RUN_FORMATS:
        for source in (None, collection()):
            _attempt(
                lambda target=target, source=source: target.write(convert_run(run, target, source).thing)
            )


def use_assessments(folder: Path) -> None:
    """Read assessments, find them in the collection, score a run with them, convert them to every format."""
    assessments = doxel.read_assessments(_only(folder))
    resolve_assessments(assessments, collection())
    run = [("1", "apples", 0, 20), ("1", "pears", 3, 9)]
    measures = ["nxCG@5", "char_rec@3", "MAiP(task=thorough)", "BEPD@2", "MAgP", "P@5"]
    _attempt(lambda: doxel.evaluate(run, assessments, measures, collection=collection(), on_error="skip"))
    _attempt(lambda: doxel.evaluate(run, assessments, ["char_rec@3", "MAiP(task=thorough)"], on_error="skip"))
    check_inputs([], assessments=assessments, collection=collection())
    for target in ASSESSMENT_FORMATS:
        for source in (None, collection()):
            _attempt(
                lambda target=target, source=source: target.write(
                    convert_assessments(assessments, target, source).thing
                )
            )


def use_document_file(folder: Path) -> None:
    """Ingest a file with many documents by its own name, and read every accepted one."""
    target = folder.with_name(f"{folder.name}.doxel")
    _attempt(lambda: doxel.ingest(_only(folder), target, jobs=1))
    if target.exists():
        _look_at(doxel.read_collection(target))


def use_documents(folder: Path) -> None:
    """Ingest documents, and read every accepted one."""
    report = doxel.ingest(folder, folder.with_name(f"{folder.name}.doxel"), jobs=1)
    for failure in report.refused:
        str(failure)
    _look_at(doxel.read_collection(folder.with_name(f"{folder.name}.doxel")))


def _look_at(opened: doxel.Collection) -> None:
    opened.fingerprint  # noqa: B018 -- to have it computed
    numbers = np.arange(len(opened.documents))
    forest = opened.forest(numbers)
    forest.frame()
    opened.summary()
    for number, name in enumerate(opened):
        opened.text(number)
        opened.attributes(number)
        opened.breaks(number)
        opened[name]
    opened.attributes_named("id", numbers)
    run = doxel.read_run(_run_file())
    doxel.evaluate([run], [("1", "apples", 6, 26)], ["nxCG@5", "MAep"], collection=opened, on_error="skip")


@cache
def _run_file() -> Path:
    path = fruit() / "paths.run"
    path.write_text(seeds.RUNS["paths.run"], encoding="utf-8")
    return path


def use_collection(folder: Path) -> None:
    """Open a collection, and read all of it."""
    _look_at(doxel.read_collection(folder))


@cache
def _collection_files() -> Mapping[str, bytes]:
    top = fruit() / "fruit.doxel"
    return {
        str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()
    }


def use_pool(folder: Path) -> None:
    """Read a pool, and write it again."""
    pool = doxel.read_pool(_only(folder))
    list(pool)
    doxel.write_pool(pool, folder.with_suffix(".written"))
    folder.with_suffix(".written").unlink()


def use_chunks(folder: Path) -> None:
    """Read chunks, and find them in the collection."""
    as_chunks(_only(folder), None)
    as_chunks(_only(folder), collection())


def use_evalj(folder: Path) -> None:
    """Read a configuration of EvalJ."""
    plan = read_plan(_only(folder))
    [metric.file_name for metric in plan.metrics]
    list(plan.curves())


def use_campaign(folder: Path) -> None:
    """Read a campaign, and look at all its parts."""
    status = inspect_campaign(doxel.read_campaign(folder))
    [str(part) for part in status.parts]


def _campaign_files() -> Mapping[str, bytes]:
    return {
        "campaign.toml": seeds.CAMPAIGN.encode(),
        "topics.tsv": seeds.TOPICS["topics.tsv"].encode(),
        "runs/fol.run": seeds.RUNS["fol.run"].encode(),
        "pool.jsonl": seeds.POOL.encode(),
        "inex.qrels": seeds.ASSESSMENTS["inex.qrels"].encode(),
        "inex.qrels.about.json": b'{"fingerprint": "0123", "pools": [1], "counts": {"documents": 3}}',
        "report/report.json": json.dumps(
            {
                "runs": ["a"],
                "topics": ["1", "2"],
                "collection": {"fingerprint": "0123"},
                "files": [{"role": "run", "sha256": "00"}, {"role": "assessments", "sha256": "11"}],
            }
        ).encode(),
        **{f"fruit.doxel/{name}": data for name, data in _collection_files().items()},
    }


@cache
def _spared_parts() -> tuple[str, ...]:
    return tuple(f"fruit.doxel/{name}" for name in _collection_files())


@cache
def _expanded_file() -> Mapping[str, bytes]:
    path = fruit() / "2005.xml"
    path.write_text(seeds.ASSESSMENTS["2005.xml"], encoding="utf-8")
    write_expanded(expand_recall_base(doxel.read_assessments(path), collection()), fruit() / "full.rb")
    return {"full.rb": (fruit() / "full.rb").read_bytes()}


def use_expanded(folder: Path) -> None:
    """Read a recall base, and score with it."""
    base = read_expanded(_only(folder))
    run = doxel.read_run(_run_file())
    doxel.evaluate([run], base.assessments, ["nxCG@5"], collection=base.documents, on_error="skip")


@cache
def _backup_file() -> Mapping[str, bytes]:
    store = open_store(str(fruit() / "empty.sqlite"))
    write_backup(store, fruit() / "backup.gz")
    store.close()
    return {"backup.jsonl": gzip.decompress((fruit() / "backup.gz").read_bytes())}


def use_backup(folder: Path) -> None:
    """Restore a backup into an empty database."""
    path = _only(folder)
    if not path.read_bytes().startswith(b"\x1f\x8b"):
        path.write_bytes(gzip.compress(path.read_bytes(), 1))
    database = folder.with_suffix(".sqlite")
    store = open_store(str(database))
    try:
        restore_backup(store, path)
    finally:
        store.close()
        for path in folder.parent.glob(f"{database.name}*"):
            path.unlink()


def use_query(folder: Path) -> None:
    """Parse a query, explain it, print it, and match it against elements."""
    text = _only(folder).read_bytes().decode("utf-8", "replace")
    try:
        query = parse(text)
    except QueryError as error:
        raise error.at(str(folder), None) from None
    explain(query)
    if parse(to_text(query)) != query:
        raise AssertionError("a printed query that parses to another query")
    _attempt(lambda: find_target_labels(query, collection().all_labels()))
    _attempt(lambda: find_conforming_elements(query, collection(), np.arange(len(collection()))))


def use_measures(folder: Path) -> None:
    """Parse names of measures, and score a run with them."""
    text = _only(folder).read_bytes().decode("utf-8", "replace")
    try:
        run, gold = doxel.read_run(_run_file()), [("1", "apples", 6, 26)]
        doxel.evaluate([run], gold, [text], collection=collection(), on_error="skip")
    except MeasureError as error:
        raise InputError(str(error), file=str(folder)) from None


def use_styles(folder: Path) -> None:
    """Read a file of document styles."""
    json.dumps(read_styles(_only(folder)).as_json(), ensure_ascii=False).encode()


def _one_of(texts: Mapping[str, str]) -> Callable[[], Mapping[str, bytes]]:
    return lambda: _files(texts)


def _each(family: str, texts: Mapping[str, str], use: Callable[[Path], object]) -> list[Target]:
    return [Target(f"{family}-{name}", _one_of({name: text}), use) for name, text in texts.items()]


TARGETS = {
    target.name: target
    for target in (
        *_each("topics", seeds.TOPICS, use_topics),
        *_each("runs", seeds.RUNS, use_run),
        *_each("assessments", seeds.ASSESSMENTS, use_assessments),
        *_each("documents", seeds.SOURCES, use_documents),
        *_each("documents-of-campaigns", seeds.CAMPAIGN_SOURCES, use_document_file),
        *_each("evalj", seeds.EVALJ, use_evalj),
        *(Target(f"nexi-{n}", _one_of({"q": query}), use_query) for n, query in enumerate(seeds.QUERIES)),
        *(
            Target(f"measures-{n}", _one_of({"m": name}), use_measures)
            for n, name in enumerate(seeds.MEASURES)
        ),
        Target("styles", _one_of({"styles.json": seeds.STYLES}), use_styles),
        Target("collection", _collection_files, use_collection),
        Target("pool", _one_of({"pool.jsonl": seeds.POOL}), use_pool),
        Target("chunks", _one_of({"chunks.jsonl": seeds.CHUNKS}), use_chunks),
        Target("campaign", _campaign_files, use_campaign, spared=("runs/fol.run",)),
        Target("configuration", _one_of({"campaign.toml": seeds.CAMPAIGN}), use_campaign),
        Target("expanded", _expanded_file, use_expanded),
        Target("backup", _backup_file, use_backup),
    )
}
