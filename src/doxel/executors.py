"""Run a function over many items: in this process, in several processes, or on a Dask cluster.

Results are returned in the order of the items.  Only a few items are in flight at a time, so that memory
does not grow with their number.  Worker processes are spawned, never forked: the thread pools of our
libraries do not survive a fork.  On a cluster the same functions read and write a folder that all
machines share; if a worker dies, another worker repeats its tasks.
"""

from __future__ import annotations

import os
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain, islice
from typing import Any, TypeVar

from doxel.errors import DoxelError, InputError, MissingExtraError
from doxel.wording import quote_value

__all__ = ["count_cores", "run_in_steps", "run_items"]

Item = TypeVar("Item")
ItemResult = TypeVar("ItemResult")
StepResult = TypeVar("StepResult")

_FEW = 3  # with fewer items, starting worker processes takes longer than it saves
_ADDRESS = re.compile(r"(?:[a-z0-9+]+://)?[\w.\[\]:%-]+/?")
_MOST_JOBS = 1_000
_PATIENCE = 30  # seconds to wait for a scheduler and for its first worker


def count_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_items(
    function: Callable[[Item], ItemResult],
    items: Iterable[Item],
    *,
    jobs: int | None = 1,
    cluster: str | None = None,
) -> Iterator[ItemResult]:
    """Yield ``function(item)`` for each item, in order.

    ``jobs`` is the number of processes; None uses all cores if there are enough items.  ``cluster`` is
    the address of a Dask scheduler whose workers do the work instead.

    >>> list(run_items(len, ["a", "bcd"]))
    [1, 3]
    """
    return run_in_steps(function, _return_unchanged, items, jobs=jobs, cluster=cluster)


def run_in_steps(
    first: Callable[[Item], StepResult],
    then: Callable[[StepResult], ItemResult],
    items: Iterable[Item],
    *,
    jobs: int | None = 1,
    cluster: str | None = None,
) -> Iterator[ItemResult]:
    """Yield ``then(first(item))`` for each item, in order; results before an error are still yielded.

    In a single process a second thread runs ``then`` while the main thread runs ``first`` on the next
    item.  This is faster if ``then`` releases the interpreter lock.

    >>> list(run_in_steps(len, str, ["a", "bcd"]))
    ['1', '3']
    """
    problems: list[Exception] = []
    pending_items = _iterate_until_error(items, problems)
    if jobs is None and cluster is None:
        jobs = count_cores()
        first_items = list(islice(pending_items, _FEW))
        jobs = jobs if len(first_items) == _FEW else 1
        pending_items = chain(first_items, pending_items)
    if cluster is not None:
        yield from _run_on_cluster(partial(_run_both_steps, first, then), pending_items, cluster)
    elif jobs is not None and jobs > _MOST_JOBS:  # all of them would be started at once
        raise InputError("jobs", wanted=f"at most {_MOST_JOBS:,} processes", found=str(jobs))
    elif jobs is None or jobs <= 1:
        yield from _run_overlapped(_iterate_until_error(map(first, pending_items), problems), then)
    else:
        yield from _run_in_processes(partial(_run_both_steps, first, then), pending_items, jobs=jobs)
    if problems:
        raise problems[0]


def _iterate_until_error(items: Iterable[Item], problems: list[Exception]) -> Iterator[Item]:
    """Yield items until the first error, which is appended to ``problems`` instead of raised."""
    try:
        yield from items
    except Exception as error:  # noqa: BLE001 -- raised after the items before it are done
        problems.append(error)


def _run_in_processes(
    function: Callable[[Item], ItemResult], items: Iterator[Item], *, jobs: int
) -> Iterator[ItemResult]:
    """Process items in worker processes."""
    import multiprocessing
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

    spawn = multiprocessing.get_context("spawn")
    start = partial(_prepare_worker, function)  # sends the function once per process, not once per item
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=start) as pool:
        try:
            yield from _yield_in_order(lambda item: pool.submit(_run_item, item), items, in_flight=2 * jobs)
        except BrokenProcessPool:
            raise DoxelError(
                "a worker process died, most likely because memory ran out; try again with fewer --jobs"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _run_on_cluster(
    function: Callable[[Item], ItemResult], items: Iterator[Item], address: str
) -> Iterator[ItemResult]:
    """Process items on the workers of a Dask scheduler."""
    client: Any = _connect(address)
    from distributed.scheduler import KilledWorker

    try:
        workers = sum(client.nthreads().values())
        # the function is a separate task, so that Dask sends it again if its worker dies
        shared = client.submit(_return_unchanged, function, pure=False)
        pool = client.get_executor(pure=False)
        yield from _yield_in_order(
            lambda item: pool.submit(_call, shared, item), items, in_flight=2 * workers
        )
    except KilledWorker as error:
        context = "; ".join(getattr(error, "__notes__", []))
        raise DoxelError(f"{context}: several workers of {address} died one after another") from None
    finally:
        client.close()


def _connect(address: str) -> Any:
    """Connect to a scheduler and wait for its first worker."""
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("a Dask cluster", "cluster") from None
    wanted = "the address of a running Dask scheduler, such as tcp://host:8786"
    if not _ADDRESS.fullmatch(address):  # Dask would wait for ever for some of them
        raise InputError("cluster", wanted=wanted, found=quote_value(address))
    if address.startswith("tls://"):
        _check_certificates(address)
    try:
        _try_address(address)  # a client that fails to connect would wait for ever when closed
        connect: Any = distributed.Client  # its methods are not typed
        client = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, AssertionError) as error:
        raise InputError(
            f"the cluster {address} cannot be reached", wanted=wanted, found=str(error)
        ) from None
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        client.close()
        raise InputError(f"the cluster {address}", wanted="at least one worker", found="none") from None
    return client


def _try_address(address: str) -> None:
    """Open a connection to a scheduler and close it; raise an error if that fails."""
    import asyncio  # rarely needed, and every command imports this module

    from distributed.comm.core import connect
    from distributed.security import Security

    async def open_and_close() -> None:
        arguments: Any = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
        connection: Any = await connect(address, timeout=_PATIENCE, **arguments)  # type: ignore[no-untyped-call]
        await connection.close()

    with ThreadPoolExecutor(1) as executor:  # a notebook runs a loop of its own in this thread
        executor.submit(asyncio.run, open_and_close()).result()


def _check_certificates(address: str) -> None:
    """Raise InputError unless Dask's configuration names certificates; its client would fail much later."""
    from distributed.security import Security

    try:
        arguments: Any = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
        problem = "none" if arguments.get("ssl_context") is None else ""
    except (OSError, ValueError, TypeError) as error:
        problem = str(error)
    if problem:
        wanted = (
            "certificates in Dask's configuration (distributed.comm.tls: ca-file, client.cert, client.key)"
        )
        raise InputError(f"the cluster {address} cannot be reached", wanted=wanted, found=problem)


def _call(function: Callable[[Item], ItemResult], item: Item) -> ItemResult:
    return function(item)


def _return_unchanged(thing: ItemResult) -> ItemResult:
    return thing


def _run_both_steps(
    first: Callable[[Item], StepResult], then: Callable[[StepResult], ItemResult], item: Item
) -> ItemResult:
    return then(first(item))


def _run_overlapped(
    items: Iterator[StepResult], then: Callable[[StepResult], ItemResult]
) -> Iterator[ItemResult]:
    """Run the second step in its own thread, one item behind."""
    if then is _return_unchanged:
        yield from map(then, items)
        return
    with ThreadPoolExecutor(1) as second:
        pending: Future[ItemResult] | None = None
        for item in items:
            if pending is not None:
                yield pending.result()
            pending = second.submit(then, item)
        if pending is not None:
            yield pending.result()


_work: list[Callable[[Any], Any]] = []  # the function that this worker process runs, set once


def _run_item(item: Any) -> Any:
    return _work[0](item)


def _prepare_worker(function: Callable[[Any], Any]) -> None:
    """Store the function in a new worker process, and make the worker end when its parent ends."""
    _work[:] = [function]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent decides
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    # the worker itself holds the pipe on which it waits for work, so it would wait for ever
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _yield_in_order(
    submit: Callable[[Item], Future[ItemResult]], items: Iterator[Item], *, in_flight: int
) -> Iterator[ItemResult]:
    def start(count: int) -> Iterator[tuple[Item, Future[ItemResult]]]:
        return ((item, submit(item)) for item in islice(items, count))

    running: deque[tuple[Item, Future[ItemResult]]] = deque(start(in_flight))
    while running:
        item, future = running.popleft()
        try:
            outcome = future.result()
        except Exception as error:
            error.add_note(f"while processing {item}")  # errors of doxel name their file themselves
            raise
        running.extend(start(1))
        yield outcome
