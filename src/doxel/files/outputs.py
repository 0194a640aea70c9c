"""Write output: whole files, whole folders, and streams to devices and pipes.

A regular file is written beside its name and renamed when it is complete, so that readers see the old file
or the new one, never a part.  Symbolic links are followed.  Devices, pipes, open descriptors such as
``/dev/stdout`` and ``-``, which is stdout, are written to directly: replacing them would break them.
A folder is created beside its name, and its files are moved into place together at the end.

Everything that doxel writes goes through this module, except for the files inside a collection, which
count only once its manifest names them.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import io
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from doxel.errors import InputError
from doxel.files.compression import compress
from doxel.files.contents import explain_os_error

__all__ = [
    "STDOUT",
    "check_output_folder",
    "defer_signals",
    "is_stream",
    "read_umask",
    "write_atomically",
    "write_file",
    "write_folder",
]

STDOUT = "-"
"""The name of an output that means stdout."""

_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_NAMED_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}
_MOST_LINKS = 40  # as in the kernel
_UNFINISHED = ".unfinished"  # the suffix of a file or folder that is being written
_LOCKED_AFTER = 10  # seconds after which an output that is being written is certainly locked
_STDOUT_ERRORS = {errno.EPIPE, errno.EBADF}  # no reader, or closed; files never have these errors


@contextlib.contextmanager
def write_atomically(path: str | os.PathLike[str], *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open an output for writing; a regular file appears under its name only when it is complete.

    A private file can be read by its owner only; another one keeps the permissions of the file it replaces.
    Devices, pipes and ``-`` are streamed to.
    """
    name = os.fspath(path)
    try:
        target = _follow_links(name)
        stream = _open_stream(name, target)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise _build_write_error(name, error) from error
    if stream is None:
        with _replace_file(name, Path(target), private=private) as file:
            yield file
        return
    try:
        with stream:
            yield stream
    except BrokenPipeError:
        raise  # the reader has seen enough, which is not an error
    except OSError as error:
        raise _build_write_error(name, error) from error


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether an output is written to directly: stdout, an open descriptor, a pipe or a device."""
    name = os.fspath(path)
    try:
        destination = _follow_links(name)
        if name == STDOUT or _find_descriptor(destination) is not None:
            return True
        mode = os.stat(destination).st_mode  # noqa: PTH116
    except (OSError, ValueError):  # a new file, or an error that writing reports
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _build_write_error(name: str, error: OSError | ValueError) -> InputError:
    if isinstance(error, shutil.Error):  # copying a folder collects its errors in a list
        return InputError(f"cannot be written: {error.args[0][0][-1]}", file=name)
    folder = os.path.dirname(name)  # noqa: PTH120 -- of the name as it was passed
    if isinstance(error, FileNotFoundError) and folder and not os.path.isdir(folder):  # noqa: PTH112
        return InputError(f"cannot be written: the folder {folder} does not exist", file=name)
    return InputError(f"cannot be written: {explain_os_error(error)}", file=name)


def check_output_folder(path: str) -> None:
    """Raise the error for an output in a folder that does not exist, before it is computed."""
    try:
        os.stat(os.path.dirname(path) or ".")  # noqa: PTH116, PTH120
    except FileNotFoundError as error:
        raise _build_write_error(path, error) from None
    except (OSError, ValueError):  # writing reports it
        return


def _follow_links(name: str) -> str:
    """Return the path that a chain of symbolic links leads to; the file itself need not exist."""
    target = name
    for _ in range(_MOST_LINKS):
        if _find_descriptor(target) is not None or not os.path.islink(target):  # noqa: PTH114
            return target
        # relative to the folder of the link
        target = os.path.join(os.path.dirname(target), os.readlink(target))  # noqa: PTH115, PTH118, PTH120
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _find_descriptor(name: str) -> int | None:
    """Return the number of the open descriptor that a path such as /dev/fd/3 names, or None."""
    match = _DESCRIPTOR.fullmatch(name)
    return int(match[1]) if match else _NAMED_DESCRIPTORS.get(name)


def _open_stream(name: str, target: str) -> IO[bytes] | None:
    """Open an output that must not be replaced by a file; None for a regular or a new file."""
    if name == STDOUT:
        return _StdoutStream()
    descriptor = _find_descriptor(target)
    if descriptor is not None:  # opened again, a file would be truncated
        for text_stream in filter(None, (sys.stdout, sys.stderr)):
            text_stream.flush()
        return os.fdopen(os.dup(descriptor), "wb")
    try:
        mode = os.stat(target).st_mode  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISREG(mode):
        return None
    return os.fdopen(os.open(target, os.O_WRONLY | os.O_NOCTTY), "wb")


class _StdoutStream(io.BytesIO):
    """Collects bytes and writes them to stdout when it is closed without an error."""

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        if kind is None:
            if sys.stdout is None:
                raise OSError(errno.EBADF, "stdout is closed")
            sys.stdout.flush()
            buffer = getattr(sys.stdout, "buffer", None)
            if buffer is None:  # a text stream that replaces stdout
                sys.stdout.write(self.getvalue().decode())
            else:
                buffer.write(self.getbuffer())
            sys.stdout.flush()
        self.close()


@contextlib.contextmanager
def _replace_file(name: str, target: Path, *, private: bool) -> Iterator[IO[bytes]]:
    """Write a file beside its name and rename it; after an error, the old file is still there."""
    prefix = f".{target.name[:100]}."
    try:
        _remove_abandoned(target.parent, prefix)
        handle, temporary_name = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=_UNFINISHED)
    except OSError as error:
        raise _build_write_error(name, error) from error
    temporary = Path(temporary_name)
    try:
        with os.fdopen(handle, "wb") as stream:
            _lock(handle)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        _set_permissions(temporary, target, private=private)
        temporary.replace(target)
    except OSError as error:
        raise _build_write_error(name, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _set_permissions(temporary: Path, target: Path, *, private: bool) -> None:
    """Give a new file the usual permissions, or owner and permissions of the file that it replaces."""
    try:
        status = target.stat()
    except FileNotFoundError:
        temporary.chmod(0o600 if private else 0o666 & ~read_umask())
        return
    with contextlib.suppress(PermissionError):
        os.chown(temporary, status.st_uid, status.st_gid)
    temporary.chmod(0o600 if private else stat.S_IMODE(status.st_mode))


def read_umask() -> int:
    """Return the permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically, compressed if its name ends in .gz, .xz or .zst."""
    packed = compress(data, os.fspath(path))
    with write_atomically(path) as stream:
        stream.write(packed)


@contextlib.contextmanager
def write_folder(
    path: str | os.PathLike[str], *, last: str | None = None, replace: bool = False
) -> Iterator[Path]:
    """Yield a folder to write to; its files are moved to ``path`` together, when all of them are complete.

    An existing folder keeps its other files; with ``replace``, folders in it are replaced as a whole.
    ``last`` is a file, such as the page of a report, or with ``replace`` a folder, whose presence shows that
    the output is complete: it is removed before the first file is moved, and its new version is moved last.
    Ctrl-C takes effect after all files are moved.
    """
    name = os.fspath(path)
    try:
        target = Path(name).resolve()  # a link to a folder is followed
        is_file = target.exists() and not target.is_dir()
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise _build_write_error(name, error) from error
    if is_file:
        raise InputError("output", file=name, wanted="a folder to write to", found="a file")
    with _create_folders(target.parent, name):
        try:
            # an existing folder may be a separate file system, or in a folder that cannot be written
            place = target if target.is_dir() else target.parent
            _remove_abandoned(place, f".{target.name[:100]}.")
            staged = Path(tempfile.mkdtemp(dir=place, prefix=f".{target.name[:100]}.", suffix=_UNFINISHED))
            lock = os.open(staged, os.O_RDONLY)
            _lock(lock)
        except OSError as error:
            raise _build_write_error(name, error) from error
        try:
            yield staged
            with defer_signals():
                _publish(staged, target, last=last, replace=replace)
        except InputError as error:
            raise _rename_in_error(error, str(staged), name) from error
        except OSError as error:
            if error.errno in _STDOUT_ERRORS:  # the block printed something
                raise
            raise _build_write_error(name, error) from error
        finally:
            shutil.rmtree(staged, ignore_errors=True)
            os.close(lock)


def _lock(descriptor: int) -> bool:
    """Lock an open file or folder, and return whether no other process has locked it.

    The lock ends with the process, even if that is killed.  A file system without locks grants none.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _open_descriptor(path: Path) -> Iterator[int]:
    """Open a file or folder, not a link or the other end of a pipe, and close it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _remove_abandoned(place: Path, prefix: str) -> None:
    """Remove the files and folders that killed processes left of the same output."""
    for path in place.glob(f"{glob.escape(prefix)}*{_UNFINISHED}"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            if time.time() - status.st_mtime < _LOCKED_AFTER:
                continue
            with _open_descriptor(path) as descriptor:
                if not _lock(descriptor):
                    continue
                if stat.S_ISDIR(status.st_mode):
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()


@contextlib.contextmanager
def _create_folders(folder: Path, name: str) -> Iterator[None]:
    """Create a folder and those above it; after an error, remove the ones that are new and empty."""
    new_folders = [above for above in (folder, *folder.parents) if not above.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _build_write_error(name, error) from error
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            for new_folder in new_folders:
                new_folder.rmdir()
        raise


def _publish(staged: Path, target: Path, *, last: str | None, replace: bool) -> None:
    """Give a complete folder its name, or move its files into the folder of that name."""
    if not target.exists():
        staged.chmod(0o777 & ~read_umask())
        staged.rename(target)
        return
    paths = sorted(staged.iterdir() if replace else (path for path in staged.rglob("*") if path.is_file()))
    moves = {path: target / path.relative_to(staged) for path in paths}
    for path, place in moves.items():
        if place.is_dir() != path.is_dir() and place.exists():
            raise OSError(errno.EEXIST, f"{place} is in the way")
    mark = target / (last or "")
    if last is not None and mark.is_dir():
        mark.rename(staged / f".old-{last}")
    elif last is not None:
        mark.unlink(missing_ok=True)
    for path, place in sorted(moves.items(), key=lambda move: move[0] == staged / (last or "")):
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir():
            place.rename(staged / f".old-{path.name}")  # removed with the staging folder
        path.replace(place)


def _rename_in_error(error: InputError, staged: str, name: str) -> InputError:
    """Return an error about a file in the staging folder, with the name that the user gave."""
    if not (error.file or "").startswith(staged):
        return error
    file = name + str(error.file).removeprefix(staged)
    return InputError(error.problem, file=file, line=error.line, wanted=error.wanted, found=error.found)


@contextlib.contextmanager
def defer_signals() -> Iterator[None]:
    """Delay SIGINT and SIGTERM until the block ends; only the main thread can handle signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[int] = []
    handlers = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM)
        if (handler := signal.getsignal(number)) not in {None, signal.SIG_IGN}
    }
    for number in handlers:
        signal.signal(number, lambda number, _: pending.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for pending_number in pending:
            signal.raise_signal(pending_number)
