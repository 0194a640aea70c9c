"""Run a command and print its cost as JSON: ``python -m benchmarks.launcher SECONDS COMMAND...``.

It is a separate process, because the system never reports less peak memory for a child than its parent
held when it started the child: the parent must be small.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

__all__: list[str] = []


def _make_environment() -> dict[str, str]:
    """Return the environment without the settings of the allocator that Polars left in it.

    The benchmarks import Polars; a user who types a command does not.
    """
    return {name: value for name, value in os.environ.items() if name != "_RJEM_MALLOC_CONF"}


def _main(limit: float, arguments: list[str]) -> None:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        # a session of its own, so that its workers end with it
        process = subprocess.Popen(
            arguments, stdout=output, stderr=errors, env=_make_environment(), start_new_session=True
        )
        guard = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
        guard.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        guard.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        report = {
            "wall": wall,
            "cpu": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss / 1024,
            "status": process.returncode,
            "output": output.read().decode("utf-8", "replace"),
            "errors": errors.read().decode("utf-8", "replace"),
        }
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    _main(float(sys.argv[1]), sys.argv[2:])
