"""The same work on a Dask cluster: a scheduler and two workers, as processes of their own."""

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

from doxel import evaluate
from doxel.campaign import write_demo
from doxel.documents import read_collection
from doxel.documents.ingest import ingest
from doxel.errors import DoxelError, InputError
from doxel.executors import run, run_in_steps
from doxel.search import Options, open_index, search
from doxel.studies.table import STUDIES
from doxel.topics import read_topics

pytest.importorskip("distributed", reason="needs the extra doxel[cluster]")

_START = "from dask.__main__ import main; main()"
_LOOPBACK = ["--host", "127.0.0.1"]


class Cluster:
    """A scheduler and workers on loopback, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.log = (folder / "cluster.log").open("wb")
        self.processes = [self._start("scheduler", "--port", "0", *_LOOPBACK)]
        while not (self.file.exists() and self.file.stat().st_size):
            assert self.processes[0].poll() is None
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]
        self.workers = [self.add_worker() for _ in range(2)]

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        shared = ["--scheduler-file", str(self.file), "--no-dashboard"]
        return subprocess.Popen(
            [sys.executable, "-c", _START, what, *shared, *options],
            stdout=self.log,
            stderr=self.log,
            cwd=self.file.parent,
        )

    def add_worker(self) -> subprocess.Popen[bytes]:
        worker = self._start("worker", "--nthreads", "1", "--no-nanny", *_LOOPBACK)
        self.processes.append(worker)
        return worker

    def lose_worker(self) -> None:
        """Kill a worker as a power cut would, and let another come."""
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
    assert list(run(len, ["a", "bc", ""] * 5, cluster=cluster.address)) == [1, 2, 0] * 5


def test_a_collection_is_the_same_byte_for_byte(cluster, demo, tmp_path):
    here = ingest(demo.handbook, tmp_path / "here")
    there = ingest(demo.handbook, tmp_path / "there", cluster=cluster.address)
    assert (there.documents, there.elements) == (here.documents, here.elements)
    assert files(tmp_path / "there") == files(tmp_path / "here")


def test_scores_are_the_same_bit_for_bit(cluster, demo):
    here = scores(demo)
    there = scores(demo, cluster=cluster.address)
    assert there.scores.equals(here.scores)
    assert there.warnings == here.warnings


def test_relative_paths_mean_the_same_to_workers(cluster, demo, monkeypatch):
    monkeypatch.chdir(demo.runs[0].parent)
    names = sorted(path.name for path in demo.runs)[:2]
    found = [
        evaluate(names, demo.assessments["qrels"], "char_rec@5", collection=demo.collection, **where)
        for where in ({}, {"cluster": cluster.address})
    ]
    assert found[0].scores.equals(found[1].scores)


def test_an_error_arrives_with_its_file(cluster, demo, tmp_path):
    missing = str(tmp_path / "missing.run")
    with pytest.raises(InputError) as caught:
        evaluate([missing], demo.assessments["qrels"], "char_rec@5", cluster=cluster.address)
    assert caught.value.file == missing


def test_a_worker_that_dies_during_ingestion_is_replaced(cluster, demo, tmp_path, monkeypatch):
    monkeypatch.setattr("doxel.documents.ingest.BATCH_BYTES", 20_000)
    ingest(demo.handbook, tmp_path / "here")
    lost = threading.Event()

    def lose_one(*_: int) -> None:
        if not lost.is_set():
            lost.set()
            cluster.lose_worker()

    ingest(demo.handbook, tmp_path / "there", cluster=cluster.address, progress=lose_one)
    assert lost.is_set()
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert read_collection(tmp_path / "there").manifest.complete


def test_a_worker_that_dies_during_an_evaluation_is_replaced(cluster, demo):
    lost = threading.Event()

    def lose_one() -> None:
        if not lost.is_set():
            lost.set()
            cluster.lose_worker()

    there = scores(demo, cluster=cluster.address, progress=lose_one)
    assert lost.is_set()
    assert there.scores.equals(scores(demo).scores)


# Search


@pytest.fixture
def parts(demo, tmp_path, monkeypatch):
    """The handbook in many parts, each of them a batch of its own."""
    monkeypatch.setattr("doxel.documents.ingest.BATCH_BYTES", 60_000)
    monkeypatch.setattr("doxel.search.segments._BATCH", 1)
    ingest(demo.handbook, tmp_path / "parts")
    return tmp_path / "parts"


def postings(index, word):
    rows, scores = index.hits((word,))
    return sorted(zip(rows.tolist(), scores.tolist(), strict=True))


def assert_same_index(here, there, topics):
    """Check that every word is found in the same elements, with the same scores, and runs are the same."""
    assert [one.size for one in there.shelves] == [one.size for one in here.shelves]
    words = {word for number in range(5) for word in here.words.of(here.collection.text(number))}
    for word in sorted(words)[::7]:
        assert postings(here, word) == postings(there, word)
    runs = [search(one, topics, Options(task="thorough")).run.results for one in (here, there)]
    assert runs[0].height > 100
    assert runs[0].equals(runs[1])


def test_a_search_index_finds_the_same_with_the_same_scores(cluster, demo, parts, tmp_path):
    shutil.copytree(parts, tmp_path / "copy")
    steps: list[int] = []
    here = open_index(parts, jobs=1)
    there = open_index(
        tmp_path / "copy", cluster=cluster.address, progress=lambda _, characters: steps.append(characters)
    )
    assert len(steps) > 5  # of progress
    assert sum(steps) == here.collection.documents["characters"].sum()
    assert_same_index(here, there, read_topics(demo.topics))


def test_a_worker_that_dies_during_indexing_is_replaced(cluster, demo, parts, tmp_path):
    shutil.copytree(parts, tmp_path / "copy")
    lost = threading.Event()

    def lose_one(*_: int) -> None:
        if not lost.is_set():
            lost.set()
            cluster.lose_worker()

    there = open_index(tmp_path / "copy", cluster=cluster.address, progress=lose_one)
    assert lost.is_set()
    assert_same_index(open_index(parts, jobs=1), there, read_topics(demo.topics))
    (index,) = (tmp_path / "copy").glob("search-*")
    assert not list(index.glob("batch-*"))  # nor of what was half written


def test_a_part_that_cannot_be_indexed_is_named(cluster, parts):
    (parts / "part-0003" / "texts.parquet").write_bytes(b"not any more")
    with pytest.raises(DoxelError, match=r"part-0003/texts\.parquet: cannot be read"):
        open_index(parts, cluster=cluster.address)
    assert not list(parts.glob("search-*"))
    assert not list(parts.glob(".search-english*"))


# Studies


def asked(study, demo, **where):
    runs = {path.stem: str(path) for path in demo.runs}
    few = {
        option.name: 200 for option in study.options if option.name in {"resamples", "splits"}
    }  # what is drawn is drawn here in any case
    return study.ask(
        [runs[name] for name in study.demo_runs[:4]],
        demo.assessments[study.demo_assessments],
        **{**study.demo_options, **few, "topic_file": demo.topics, **where},
        collection=demo.collection,
    )


def assert_same_study(here, there):
    assert [one.name for one in there.panels] == [one.name for one in here.panels]
    for mine, other in zip(here.panels, there.panels, strict=True):
        assert other.frame.equals(mine.frame), mine.name
    assert there.findings == here.findings
    assert there.warnings == here.warnings


@pytest.mark.parametrize("study", STUDIES, ids=[study.name for study in STUDIES])
def test_a_study_finds_the_same(study, cluster, demo):
    assert_same_study(asked(study, demo), asked(study, demo, cluster=cluster.address))


def test_what_topics_hint_at_is_left_out_by_workers_too(cluster, demo):
    """A setting that changes runs travels with them."""
    (study,) = (study for study in STUDIES if study.name == "settings")
    changed = {"a": "", "b": "hints=strict"}
    assert_same_study(
        asked(study, demo, **changed), asked(study, demo, **changed, cluster=cluster.address, jobs=1)
    )


def test_a_worker_that_dies_during_a_study_is_replaced(cluster, demo, monkeypatch):
    (study,) = (study for study in STUDIES if study.name == "power")
    here = asked(study, demo)
    lost = threading.Event()

    def lose_one(*arguments, **where):
        for outcome in run_in_steps(*arguments, **where):
            if not lost.is_set():
                lost.set()
                cluster.lose_worker()
            yield outcome

    monkeypatch.setattr("doxel.executors.run_in_steps", lose_one)
    there = asked(study, demo, cluster=cluster.address)
    assert lost.is_set()
    assert_same_study(here, there)


def test_a_run_that_cannot_be_read_is_named_by_a_study(cluster, demo, tmp_path):
    (study,) = (study for study in STUDIES if study.name == "power")
    missing = str(tmp_path / "missing.run")
    runs, gold = [str(demo.runs[0]), missing], demo.assessments["qrels"]
    with pytest.raises(InputError) as caught:
        study.ask(runs, gold, "char_rec@5", collection=demo.collection, cluster=cluster.address)
    assert caught.value.file == missing


# What ends the work


def test_what_kills_every_worker_is_named(tmp_path):
    """A task that no worker survives ends the work, with its name."""
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
        with pytest.raises(DoxelError, match="while doing 7: worker after worker"):
            list(run(os._exit, [7], cluster=doomed.address))
    finally:
        replacing.set()
        watcher.join()
        doomed.end()


def test_a_scheduler_that_is_not_there_is_a_sentence(demo, monkeypatch):
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
def test_the_command_says_it_in_a_sentence_and_ends_with_2(command, demo, tmp_path, monkeypatch, capfd):
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
