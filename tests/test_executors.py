"""Running one function over many items, in one process or several."""

import asyncio
import contextlib
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from doxel.errors import DoxelError, InputError
from doxel.executors import count_cores, run_in_steps, run_items
from doxel.files import read_bytes
from limits import in_time


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_results_come_in_the_order_of_the_items(jobs):
    assert list(run_items(math.factorial, range(30), jobs=jobs)) == [math.factorial(n) for n in range(30)]


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_no_items_give_no_results(jobs):
    assert list(run_items(math.factorial, [], jobs=jobs)) == []


def test_a_few_items_start_no_worker_process(monkeypatch):
    monkeypatch.setattr("concurrent.futures.process.ProcessPoolExecutor", None)
    assert list(run_items(math.factorial, [3, 4], jobs=None)) == [6, 24]


def test_only_a_few_items_are_in_flight():
    count = 0

    def items() -> Iterator[int]:
        nonlocal count
        for number in range(1000):
            count += 1
            yield number

    results = run_items(math.factorial, items(), jobs=2)
    assert next(results) == 1
    assert count <= 6
    results.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_arrive_with_their_fields(jobs, tmp_path):
    missing = str(tmp_path / "missing")
    with pytest.raises(InputError) as caught:
        list(run_items(read_bytes, [missing], jobs=jobs))
    assert caught.value.file == missing
    assert caught.value.problem == "cannot be read: no such file or directory"


@pytest.mark.parametrize("jobs", [1, 2, None])
@pytest.mark.parametrize("then", [str, None], ids=["two steps", "one step"])
def test_results_before_an_error_are_still_yielded(then, jobs):
    """Both if the function fails and if the items do."""

    def failing_items() -> Iterator[int]:
        yield from range(8)
        raise InputError("no more")

    for items, error in (([*range(8), -1, 9], ValueError), (failing_items(), InputError)):
        outcomes = []
        results = (
            run_in_steps(math.factorial, then, items, jobs=jobs)
            if then
            else run_items(math.factorial, items, jobs=jobs)
        )
        with pytest.raises(error):
            outcomes.extend(results)
        assert outcomes == [(then or int)(math.factorial(number)) for number in range(8)]


def test_the_death_of_a_worker_is_explained():
    with pytest.raises(DoxelError, match=r"a worker process died.*fewer --jobs"):
        list(run_items(os._exit, [1], jobs=2))


def test_at_least_one_core_is_available():
    assert count_cores() >= 1


SLEEPERS = """
import multiprocessing, pathlib, signal, sys, time
from doxel.executors import run_items

def wait(files):  # create the first file, and wait for the second one
    first, second = map(pathlib.Path, files)
    first.touch()
    while not second.exists():
        time.sleep(0.01)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    meeting = [("one", "other"), ("other", "one")]  # ends when both workers are up
    results = run_items(wait, [*meeting, *([("busy", "end")] * int(sys.argv[1]))], jobs=2)
    next(results)
    try:
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        list(results)
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


@pytest.fixture
def sleepers(tmp_path):
    """A function that starts a process with two workers and returns it with the workers' process ids.

    Some of the workers then wait until there is a file "end" in the folder.
    """
    started: list[subprocess.Popen[str]] = []

    def start(*, busy: int) -> tuple[subprocess.Popen[str], list[int]]:
        script = tmp_path / "sleepers.py"
        script.write_text(SLEEPERS)
        process = subprocess.Popen(
            [sys.executable, str(script), str(busy)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process, [int(pid) for pid in process.stdout.readline().split()]

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # the workers too, if they outlived it
        process.communicate()


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # a zombie has ended


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see other processes")
def test_workers_end_when_their_parent_is_killed(sleepers):
    parent, workers = sleepers(busy=2)
    assert len(workers) == 2
    assert all(is_running(pid) for pid in workers)
    parent.kill()
    with in_time(60):
        while any(is_running(pid) for pid in workers):
            time.sleep(0.05)


def test_an_interrupt_reaches_the_parent_only(sleepers, tmp_path):
    parent, _ = sleepers(busy=1)
    with in_time(60):
        while not (tmp_path / "busy").exists():  # one worker is busy now, the other waits for work
            time.sleep(0.01)
        os.killpg(parent.pid, signal.SIGINT)  # as a terminal does
        (tmp_path / "end").touch()
        out, err = parent.communicate()
    assert out == "stopped\n"
    assert err == ""


def test_an_encrypted_cluster_needs_certificates():
    """The error comes at once: Dask's own client tries for half a minute, and then prints a traceback."""
    dask = pytest.importorskip("dask")
    wanted = r"wanted certificates in Dask's configuration \(distributed\.comm\.tls: .*\), found none"
    with pytest.raises(InputError, match=wanted):
        list(run_items(len, ["a"], cluster="tls://127.0.0.1:9"))
    keys = ("ca-file", "client.cert", "client.key")
    with (
        dask.config.set({f"distributed.comm.tls.{key}": "nowhere.pem" for key in keys}),
        pytest.raises(InputError, match=r"certificates in Dask's .*No such file"),
    ):
        list(run_items(len, ["a"], cluster="tls://127.0.0.1:9"))


NO_CLUSTER = """
import sys
from doxel.executors import run_items
from doxel.errors import InputError
try:
    list(run_items(len, ["a"], cluster=sys.argv[1]))
except InputError as error:
    print(error)
"""


def test_a_process_ends_after_it_has_reached_no_cluster():
    """Dask's client would wait for ever when the process ends."""
    pytest.importorskip("dask")
    outcome = subprocess.run(
        [sys.executable, "-c", NO_CLUSTER, "scheduler"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert outcome.stdout.startswith("the cluster scheduler cannot be reached: wanted the address of a")


def test_a_cluster_is_tried_beside_the_event_loop_of_a_notebook(monkeypatch):
    pytest.importorskip("dask")
    monkeypatch.setattr("doxel.executors._PATIENCE", 0.2)

    async def evaluate_in_a_cell():
        list(run_items(len, ["a"], cluster="tcp://127.0.0.1:9"))

    with pytest.raises(InputError, match="cannot be reached"):
        asyncio.run(evaluate_in_a_cell())
