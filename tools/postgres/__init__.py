"""A temporary PostgreSQL server for tests and benchmarks, in a temporary folder and on a free port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["new_database", "postgres_programs", "temporary_postgres"]

_ROOM = 2_000_000_000  # bytes: several times what the tests need


def postgres_programs() -> Path | None:
    """Return the folder of the server's programs, None if PostgreSQL is not installed."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if programs:
        return programs[-1].parent
    program = shutil.which("initdb")
    return None if program is None else Path(program).resolve().parent


@contextmanager
def temporary_postgres(programs: Path, *, fsync: bool = True) -> Iterator[str]:
    """Start a server, yield its address, then stop it and remove its files.

    Without ``fsync`` it is faster, but a crash can lose commits; its files are then in memory, if there is
    room.
    """
    folder = Path(tempfile.mkdtemp(prefix="doxel-postgres-", dir=None if fsync else _memory()))
    account: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(folder, "postgres")
        account = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def run(*arguments: object) -> None:
        command = [str(argument) for argument in arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **account)

    data, port = folder / "data", _free_port()
    run(programs / "initdb", "-D", data, "-U", "doxel", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8")
    settings = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": folder,
        "fsync": "on" if fsync else "off",
    }
    options = " ".join([f"-p {port}", *(f"-c {name}={value}" for name, value in settings.items())])
    control = (programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log")
    run(*control, "-o", options, "start")
    try:
        yield f"postgresql://doxel@127.0.0.1:{port}"
    finally:
        run(*control, "-m", "immediate", "stop")
        shutil.rmtree(folder)


def _memory() -> str | None:
    """Return a folder in memory with enough room, or None."""
    folder = "/dev/shm"  # noqa: S108 -- what is made there has a name that nobody can know
    is_large = Path(folder).is_dir() and shutil.disk_usage(folder).free > _ROOM
    return folder if is_large else None


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def new_database(server: str) -> str:
    """Make an empty database, and return its address."""
    import psycopg

    name = f"d{uuid.uuid4().hex}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{server}/{name}"
