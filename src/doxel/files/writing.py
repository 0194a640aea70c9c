"""Write whole files, or none at all."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from doxel.errors import InputError
from doxel.files.compression import compress
from doxel.files.reading import explain_os_error

__all__ = ["atomic_write", "write_file"]


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], *, private: bool = False) -> Iterator[io.BufferedWriter]:
    """Open a file for writing; it appears under its name only when it is complete.

    A private file can be read by its owner only.
    """
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"cannot be written: {explain_os_error(error)}", file=str(target)) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o600 if private else 0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise InputError(f"cannot be written: {explain_os_error(error)}", file=str(target)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically, compressed if its name ends in .gz, .xz or .zst."""
    packed = compress(data, os.fspath(path))
    with atomic_write(path) as stream:
        stream.write(packed)
