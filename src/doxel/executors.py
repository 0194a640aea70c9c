"""One way to run a function over many items: in this process, or in several.

``run`` yields results in the order of the items and keeps only a few batches in flight, so that
memory does not grow with their number.  Worker processes are spawned, never forked: the thread
pools of our libraries do not survive a fork.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from doxel.errors import DoxelError

__all__ = ["available_cores", "run", "run_in_steps"]

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
Halfway = TypeVar("Halfway")

_FEW = 3  # starting processes takes longer than doing this many batches


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    function: Callable[[Item], Outcome], items: Iterable[Item], *, jobs: int | None = 1
) -> Iterator[Outcome]:
    """Yield ``function(item)`` for each item, in order.

    ``jobs`` is the number of processes; None takes all cores when there is enough to do.

    >>> list(run(len, ["a", "bcd"]))
    [1, 3]
    """
    return run_in_steps(function, _as_it_is, items, jobs=jobs)


def run_in_steps(
    first: Callable[[Item], Halfway],
    then: Callable[[Halfway], Outcome],
    items: Iterable[Item],
    *,
    jobs: int | None = 1,
) -> Iterator[Outcome]:
    """Yield ``then(first(item))`` for each item, in order; what comes before an error is yielded first.

    In a single process the second step of an item is done in another thread while the first step of
    the next one goes on, which pays where the second does not need the interpreter.

    >>> list(run_in_steps(len, str, ["a", "bcd"]))
    ['1', '3']
    """
    problems: list[Exception] = []
    waiting = _until_problem(items, problems)
    if jobs is None:
        jobs = available_cores()
        few = list(islice(waiting, _FEW))
        jobs = jobs if len(few) == _FEW else 1
        waiting = chain(few, waiting)
    if jobs <= 1:
        yield from _overlapped(_until_problem(map(first, waiting), problems), then)
    else:
        yield from _spread(partial(_both, first, then), waiting, jobs=jobs)
    if problems:
        raise problems[0]


def _until_problem(items: Iterable[Item], problems: list[Exception]) -> Iterator[Item]:
    """Yield items as far as they come, and keep the error that ends them for later."""
    try:
        yield from items
    except Exception as error:  # noqa: BLE001 -- it is raised when all before it is done
        problems.append(error)


def _spread(function: Callable[[Item], Outcome], items: Iterator[Item], *, jobs: int) -> Iterator[Outcome]:
    """Do whole items in processes of their own."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_prepare_worker) as pool:
        try:
            yield from _in_order(pool, function, items, in_flight=2 * jobs)
        except BrokenProcessPool:
            raise DoxelError(
                "a worker process ended without an answer, most likely for lack of memory; "
                "try again with fewer --jobs"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _as_it_is(thing: Outcome) -> Outcome:
    return thing


def _both(first: Callable[[Item], Halfway], then: Callable[[Halfway], Outcome], item: Item) -> Outcome:
    return then(first(item))


def _overlapped(items: Iterator[Halfway], then: Callable[[Halfway], Outcome]) -> Iterator[Outcome]:
    """Do second steps in a thread of their own, one behind the items."""
    if then is _as_it_is:
        yield from map(then, items)
        return
    with ThreadPoolExecutor(1) as second:
        waiting: Future[Outcome] | None = None
        for item in items:
            if waiting is not None:
                yield waiting.result()
            waiting = second.submit(then, item)
        if waiting is not None:
            yield waiting.result()


def _prepare_worker() -> None:
    """Let a worker end when its parent does, and not before."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent decides
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    # a worker waits for work on a pipe that it holds itself, and would wait for ever
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _in_order(
    pool: Executor, function: Callable[[Item], Outcome], items: Iterator[Item], *, in_flight: int
) -> Iterator[Outcome]:
    running: deque[Future[Outcome]] = deque(pool.submit(function, item) for item in islice(items, in_flight))
    while running:
        outcome = running.popleft().result()
        running.extend(pool.submit(function, item) for item in islice(items, 1))
        yield outcome
