"""The same results on a Dask cluster: a scheduler and two workers in separate processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from doxel.campaign import write_demo
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import DoxelError, InputError
from doxel.evaluation.evaluator import evaluate
from doxel.executors import run_in_steps, run_items
from doxel.search import SearchOptions, open_index, search
from doxel.studies.study_table import STUDIES
from doxel.topics import read_topics

pytest.importorskip("distributed", reason="needs the extra doxel[cluster]")

pytestmark = pytest.mark.integration

_START = "from dask.__main__ import main; main()"
_LOOPBACK = ["--host", "127.0.0.1"]


class Cluster:
    """A scheduler and workers on loopback, each in its own process."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.log = (folder / "cluster.log").open("wb")
        self.processes = [self._start("scheduler", "--port", "0", *_LOOPBACK)]
        while not (self.file.exists() and self.file.stat().st_size):
            assert self.processes[0].poll() is None
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]
        self.workers = [self.add_worker() for _ in range(2)]

    def _start(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        shared = ["--scheduler-file", str(self.file), "--no-dashboard"]
        return subprocess.Popen(
            [sys.executable, "-c", _START, program, *shared, *options],
            stdout=self.log,
            stderr=self.log,
            cwd=self.file.parent,
        )

    def add_worker(self) -> subprocess.Popen[bytes]:
        worker = self._start("worker", "--nthreads", "1", "--no-nanny", *_LOOPBACK)
        self.processes.append(worker)
        return worker

    def lose_worker(self) -> None:
        """Kill a worker as a power cut would, and start another."""
        lost = self.workers.pop(0)
        lost.send_signal(signal.SIGKILL)
        lost.wait()
        self.workers.append(self.add_worker())

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        self.log.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    yield started
    started.end()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return write_demo(tmp_path_factory.mktemp("demo") / "demo")


def scores(demo, **settings):
    runs = [str(path) for path in demo.runs if path.stem != "focused-invalid"]
    measures = ["char_rec@5", "nxCG(task=focused)@10", "MAep(task=thorough)", "HiXEval_F@10"]
    return evaluate(
        runs, demo.assessments["qrels"], measures, collection=demo.collection, on_error="skip", **settings
    )


def files(collection: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(collection)): path.read_bytes()
        for path in sorted(collection.rglob("*"))
        if path.is_file()
    }


def test_results_come_in_order(cluster):
    assert list(run_items(len, ["a", "bc", ""] * 5, cluster=cluster.address)) == [1, 2, 0] * 5


def test_a_collection_is_the_same_byte_for_byte(cluster, demo, tmp_path):
    local = ingest(demo.handbook, tmp_path / "local")
    remote = ingest(demo.handbook, tmp_path / "remote", cluster=cluster.address)
    assert (remote.documents, remote.elements) == (local.documents, local.elements)
    assert files(tmp_path / "remote") == files(tmp_path / "local")


def test_scores_are_the_same_bit_for_bit(cluster, demo):
    local = scores(demo)
    remote = scores(demo, cluster=cluster.address)
    assert remote.scores.equals(local.scores)
    assert remote.warnings == local.warnings


def test_workers_resolve_relative_paths_in_the_same_way(cluster, demo, monkeypatch):
    monkeypatch.chdir(demo.runs[0].parent)
    names = sorted(path.name for path in demo.runs)[:2]
    local, remote = (
        evaluate(names, demo.assessments["qrels"], "char_rec@5", collection=demo.collection, **settings)
        for settings in ({}, {"cluster": cluster.address})
    )
    assert local.scores.equals(remote.scores)


def test_an_error_arrives_with_its_file(cluster, demo, tmp_path):
    missing = str(tmp_path / "missing.run")
    with pytest.raises(InputError) as caught:
        evaluate([missing], demo.assessments["qrels"], "char_rec@5", cluster=cluster.address)
    assert caught.value.file == missing


def test_a_worker_that_dies_during_ingestion_is_replaced(cluster, demo, tmp_path, monkeypatch):
    monkeypatch.setattr("doxel.documents.ingestion.BATCH_BYTES", 20_000)
    ingest(demo.handbook, tmp_path / "local")
    lost = threading.Event()

    def lose_one(*_: int) -> None:
        if not lost.is_set():
            lost.set()
            cluster.lose_worker()

    ingest(demo.handbook, tmp_path / "remote", cluster=cluster.address, progress=lose_one)
    assert lost.is_set()
    assert files(tmp_path / "remote") == files(tmp_path / "local")
    assert read_collection(tmp_path / "remote").manifest.complete


def test_a_worker_that_dies_during_an_evaluation_is_replaced(cluster, demo):
    lost = threading.Event()

    def lose_one() -> None:
        if not lost.is_set():
            lost.set()
            cluster.lose_worker()

    remote = scores(demo, cluster=cluster.address, progress=lose_one)
    assert lost.is_set()
    assert remote.scores.equals(scores(demo).scores)


# Search


@pytest.fixture
def parts(demo, tmp_path, monkeypatch):
    """The handbook in many parts, each a separate batch."""
    monkeypatch.setattr("doxel.documents.ingestion.BATCH_BYTES", 60_000)
    monkeypatch.setattr("doxel.search.index_building._BATCH", 1)
    ingest(demo.handbook, tmp_path / "parts")
    return tmp_path / "parts"


def postings(index, word):
    rows, scores = index.hits((word,))
    return sorted(zip(rows.tolist(), scores.tolist(), strict=True))


def assert_same_index(local, remote, topics):
    """Check that both indexes find the same elements with the same scores, and give the same run."""
    assert [shelf.size for shelf in remote.shelves] == [shelf.size for shelf in local.shelves]
    words = {word for number in range(5) for word in local.words.of(local.collection.text(number))}
    for word in sorted(words)[::7]:
        assert postings(local, word) == postings(remote, word)
    runs = [search(index, topics, SearchOptions(task="thorough")).run.results for index in (local, remote)]
    assert runs[0].height > 100
    assert runs[0].equals(runs[1])


def test_a_search_index_finds_the_same_with_the_same_scores(cluster, demo, parts, tmp_path):
    shutil.copytree(parts, tmp_path / "copy")
    steps: list[int] = []
    local = open_index(parts, jobs=1)
    remote = open_index(
        tmp_path / "copy", cluster=cluster.address, progress=lambda _, characters: steps.append(characters)
    )
    assert len(steps) > 5  # of progress
    assert sum(steps) == local.collection.documents["characters"].sum()
    assert_same_index(local, remote, read_topics(demo.topics))


def test_a_worker_that_dies_during_indexing_is_replaced(cluster, demo, parts, tmp_path):
    shutil.copytree(parts, tmp_path / "copy")
    lost = threading.Event()

    def lose_one(*_: int) -> None:
        if not lost.is_set():
            lost.set()
            cluster.lose_worker()

    remote = open_index(tmp_path / "copy", cluster=cluster.address, progress=lose_one)
    assert lost.is_set()
    assert_same_index(open_index(parts, jobs=1), remote, read_topics(demo.topics))
    (index,) = (tmp_path / "copy").glob("search-*")
    assert not list(index.glob("batch-*"))  # no half-written files either


def test_a_part_that_cannot_be_indexed_is_named(cluster, parts):
    (parts / "part-0003" / "texts.parquet").write_bytes(b"not any more")
    with pytest.raises(DoxelError, match=r"part-0003/texts\.parquet: changed since it was written"):
        open_index(parts, cluster=cluster.address)
    assert not list(parts.glob("search-*"))
    assert not list(parts.glob(".search-english*"))


# Studies


def ask_study(study, demo, **settings):
    runs = {path.stem: str(path) for path in demo.runs}
    samples = {
        option.name: 200 for option in study.options if option.name in {"resamples", "splits"}
    }  # few, because this process draws the samples in any case
    return study.ask(
        [runs[name] for name in study.demo_runs[:4]],
        study.choose_demo_assessments(demo.assessments),
        **{**study.demo_options, **samples, "topic_file": demo.topics, **settings},
        collection=demo.collection,
    )


def assert_same_study(local, remote):
    assert [panel.name for panel in remote.panels] == [panel.name for panel in local.panels]
    for local_panel, remote_panel in zip(local.panels, remote.panels, strict=True):
        assert remote_panel.frame.equals(local_panel.frame), local_panel.name
    assert remote.findings == local.findings
    assert remote.warnings == local.warnings


@pytest.mark.parametrize("study", STUDIES, ids=[study.name for study in STUDIES])
def test_a_study_finds_the_same(study, cluster, demo):
    few = {"claims": ["003"]} if study.name == "claims" else {}
    assert_same_study(ask_study(study, demo, **few), ask_study(study, demo, **few, cluster=cluster.address))


def test_workers_apply_a_setting_that_changes_runs(cluster, demo):
    """With ``hints=strict``, workers too leave out the results that do not match the structural hints."""
    (study,) = (study for study in STUDIES if study.name == "settings")
    settings = {"a": "", "b": "hints=strict"}
    assert_same_study(
        ask_study(study, demo, **settings),
        ask_study(study, demo, **settings, cluster=cluster.address, jobs=1),
    )


def test_a_worker_that_dies_during_a_study_is_replaced(cluster, demo, monkeypatch):
    (study,) = (study for study in STUDIES if study.name == "power")
    local = ask_study(study, demo)
    lost = threading.Event()

    def lose_one(*arguments, **options):
        for outcome in run_in_steps(*arguments, **options):
            if not lost.is_set():
                lost.set()
                cluster.lose_worker()
            yield outcome

    monkeypatch.setattr("doxel.executors.run_in_steps", lose_one)
    remote = ask_study(study, demo, cluster=cluster.address)
    assert lost.is_set()
    assert_same_study(local, remote)


def test_a_run_that_cannot_be_read_is_named_by_a_study(cluster, demo, tmp_path):
    (study,) = (study for study in STUDIES if study.name == "power")
    missing = str(tmp_path / "missing.run")
    runs, gold = [str(demo.runs[0]), missing], demo.assessments["qrels"]
    with pytest.raises(InputError) as caught:
        study.ask(runs, gold, "char_rec@5", collection=demo.collection, cluster=cluster.address)
    assert caught.value.file == missing


# Errors of the cluster


def test_an_item_that_kills_every_worker_is_named(tmp_path):
    doomed = Cluster(tmp_path)
    replacing = threading.Event()

    def replace() -> None:
        while not replacing.is_set():
            for worker in list(doomed.workers):
                if worker.poll() is not None:
                    doomed.workers.remove(worker)
                    doomed.workers.append(doomed.add_worker())
            time.sleep(0.1)

    watcher = threading.Thread(target=replace)
    watcher.start()
    try:
        with pytest.raises(DoxelError, match=r"while processing 7: several workers of .* died"):
            list(run_items(os._exit, [7], cluster=doomed.address))
    finally:
        replacing.set()
        watcher.join()
        doomed.end()


def test_an_unreachable_scheduler_is_reported(demo, monkeypatch):
    monkeypatch.setattr("doxel.executors._PATIENCE", 1)
    with pytest.raises(InputError, match=r"cluster tcp://127.*:9 cannot be reached: wanted the address"):
        scores(demo, cluster="tcp://127.0.0.1:9")


CALLS = {
    "ingest": ["{handbook}", "-o", "{out}"],
    "evaluate": ["-a", "{gold}", "-m", "char_rec@5", "{run}"],
    "search": ["-c", "{collection}", "-t", "{topics}", "--task", "focused", "-o", "{out}"],
    "study": ["power", "-a", "{gold}", "-c", "{collection}", "{run}", "{other}"],
}


@pytest.mark.parametrize("command", CALLS)
def test_a_command_without_its_scheduler_prints_one_sentence_and_exits_with_2(
    command, demo, tmp_path, monkeypatch, capfd
):
    from doxel.cli.main import main

    monkeypatch.setattr("doxel.executors._PATIENCE", 1)
    collection = shutil.copytree(demo.collection, tmp_path / "copy")
    for index in collection.glob("search-*"):
        shutil.rmtree(index)
    files = {
        "handbook": demo.handbook,
        "collection": collection,
        "gold": demo.assessments["qrels"],
        "topics": demo.topics,
        "run": demo.runs[0],
        "other": demo.runs[1],
        "out": tmp_path / "out",
    }
    call = [part.format(**files) for part in CALLS[command]]
    monkeypatch.setattr("sys.argv", ["doxel", command, *call, "--cluster", "tcp://127.0.0.1:9"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    (sentence,) = capfd.readouterr().err.splitlines()
    assert sentence.startswith("doxel: the cluster tcp://127.0.0.1:9 cannot be reached: wanted")
    assert not (tmp_path / "out").exists()
