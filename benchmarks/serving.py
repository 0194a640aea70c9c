"""The assessment server in a process of its own, started as users start it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measuring import UnavailableError

__all__ = ["free_port", "quick_hash", "running_server"]


def free_port() -> int:
    """Return the number of a free port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def quick_hash(password: str) -> str:
    """Return a hash that is checked quickly: signing in is not measured."""
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(password)


@contextmanager
def running_server(collection: Path, pool: Path, database: str, port: int) -> Iterator[subprocess.Popen[str]]:
    """Start a server, yield its process when it accepts connections, and stop it at the end."""
    command = [sys.executable, "-m", "doxel", "assess", "serve", "--port", str(port), "--database", database]
    command += ["-c", str(collection), "--pool", str(pool)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    lines: list[str] = []
    if process.stderr is None:
        raise UnavailableError("the server's messages cannot be read")
    for line in process.stderr:
        lines.append(line)
        if re.search("serving on", line):
            break
    else:
        raise UnavailableError(f"the server did not start: {''.join(lines)[-200:]}")
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)
        process.stderr.close()
