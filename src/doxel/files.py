"""Files: compressed or not, one or many, read whole and written atomically.

Compression is recognised by content (gzip, xz, zstandard), never by name.  Folders and archives
(zip, tar, compressed tar) are walked as sequences of members; an archive is never unpacked to disk,
and a member that points outside it, or is a link, is refused.  What is there but cannot be read is a
member too, one that says why, so that the rest can be read.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import os
import re
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from doxel.errors import InputError, MissingExtraError

__all__ = ["Member", "atomic_write", "explain_os_error", "members", "read_bytes", "read_text"]

_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with members, and without
_COMPRESSED_SUFFIXES = (".gz", ".xz", ".zst")
_DAMAGE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, zipfile.BadZipFile, tarfile.TarError)
_CHUNK, _PAGE = 1 << 20, 1 << 12  # a page of zstandard unpacks to at most some megabytes

MOST_BYTES = 2_000_000_000
"""What a compressed file may unpack to: more is taken for a bomb."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a folder or archive, or a file named alone.

    ``name`` is its path below the folder or archive, with forward slashes; ``display`` is what a
    person would call it.  The content is read when asked for, so that a worker can do it; members of
    archives carry theirs, because archives are read from front to back.

    ``kind`` says what the content is, where something other than the name says so.

    ``refusal`` says why there is nothing to read; with ``whole`` it speaks of a folder or an archive,
    and so of an unknown number of files.
    """

    name: str
    display: str
    size: int = 0
    path: Path | None = None
    content: bytes | None = None
    refusal: InputError | None = None
    whole: bool = False
    kind: str | None = None

    def read(self) -> bytes:
        """Return the content, decompressed."""
        if self.refusal is not None:
            raise self.refusal
        if self.content is not None:
            return _decompress(self.content, self.display)
        if self.path is None:
            raise InputError("nothing to read", file=self.display)
        return read_bytes(self.path)


def explain_os_error(error: OSError) -> str:
    """Return the reason of an operating-system error, in words.

    >>> explain_os_error(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    reason = error.strerror or str(error) or type(error).__name__
    return reason[:1].lower() + reason[1:]


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file whole, decompressed if it is compressed."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=str(path)) from error
    return _decompress(data, str(path))


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a UTF-8 file whole, without its byte-order mark; a wrong byte is reported with its line."""
    return decode(read_bytes(path), str(path))


def decode(data: bytes, name: str) -> str:
    r"""Decode UTF-8; a wrong byte is reported with its line.

    >>> decode(b"caf\xe9", "menu.txt")
    Traceback (most recent call last):
    doxel.errors.InputError: menu.txt, line 1: wanted UTF-8 text, found byte 0xe9
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x}"
        raise InputError("", file=name, line=line, wanted="UTF-8 text", found=found) from None


def _decompress(data: bytes, name: str) -> bytes:
    try:
        if data.startswith(_GZIP):
            return _joined(_chunks(gzip.GzipFile(fileobj=io.BytesIO(data)).read), name)
        if data.startswith(_XZ):
            return _joined(_chunks(lzma.LZMAFile(io.BytesIO(data)).read), name)
        if data.startswith(_ZSTD):
            return _joined(_zstd_chunks(data), name)
    except _DAMAGE as error:
        raise InputError(
            "compressed file is damaged or cut short",
            file=name,
            wanted="a whole compressed file",
            found=str(error),
        ) from error
    return data


def _chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    return iter(partial(read, _CHUNK), b"")


def _zstd_chunks(data: bytes) -> Iterator[bytes]:
    """Yield the content of all frames; unlike a stream reader, notice where the last one is cut short."""
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("reading .zst files", "zst") from None
    frame = None
    for at in range(0, len(data), _PAGE):
        piece = data[at : at + _PAGE]
        while piece:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(piece)
            except zstandard.ZstdError as error:
                raise EOFError(str(error)) from error
            piece = frame.unused_data
            frame = None if frame.eof else frame
    if frame is not None:
        raise EOFError("the last frame is not complete")


def _joined(chunks: Iterable[bytes], name: str) -> bytes:
    """Return the chunks as one, unless they would never end."""
    kept: list[bytes] = []
    size = 0
    for chunk in chunks:
        kept.append(chunk)
        size += len(chunk)
        if size > MOST_BYTES:
            raise _bomb(name)
    return b"".join(kept)


def _bomb(name: str) -> InputError:
    wanted = f"at most {MOST_BYTES:,} bytes"
    return InputError("unpacks without bound", file=name, wanted=wanted, found="more")


def strip_compression(name: str) -> str:
    """Return a file name without the suffix of its compression.

    >>> strip_compression("a.run.gz")
    'a.run'
    """
    lower = name.lower()
    return next((name[: -len(end)] for end in _COMPRESSED_SUFFIXES if lower.endswith(end)), name)


def members(source: str | os.PathLike[str]) -> Iterator[Member]:
    """Yield the files of a folder or archive, or the one file that ``source`` is.

    Folders and zip archives come in order of name, tar archives in their own order.  Hidden files are
    left out; links inside folders are followed, links inside archives refused.  A source that does
    not exist is an error; one that cannot be read, or not to its end, gives a refused member.
    """
    path = Path(source)
    try:
        yield from _members(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=str(path)) from error
    except _DAMAGE as error:
        yield _refused(path, "archive is damaged or cut short", wanted="a whole archive", found=str(error))
    except OSError as error:
        yield _refused(path, f"cannot be read: {explain_os_error(error)}")


def _members(path: Path) -> Iterator[Member]:
    info = path.stat()
    if stat.S_ISDIR(info.st_mode):
        yield from _folder_members(path)
        return
    if not stat.S_ISREG(info.st_mode):
        yield _refused(
            path, "not a file", wanted="a file, a folder or an archive", found="a pipe or a device"
        )
        return
    with path.open("rb") as stream:
        head = stream.read(6)
    if head.startswith(_ZIP):
        yield from _zip_members(path)
    elif tarfile.is_tarfile(path):
        yield from _tar_members(path)
    else:
        yield Member(path.name, str(path), info.st_size, path=path)


def _refused(path: Path, problem: str, *, wanted: str | None = None, found: str | None = None) -> Member:
    """Return the member that stands for a folder or archive that cannot be read."""
    refusal = InputError(problem, file=str(path), wanted=wanted, found=found)
    return Member(path.name, str(path), refusal=refusal, whole=True)


def _folder_members(top: Path) -> Iterator[Member]:
    unreadable: list[OSError] = []
    for where, folders, names in os.walk(top, onerror=unreadable.append, followlinks=True):
        visible = sorted(name for name in folders if not name.startswith("."))
        loops = [name for name in visible if _is_loop(Path(where, name), top)]
        folders[:] = [name for name in visible if name not in loops]
        for name in loops:
            yield _refused(Path(where, name), "link to a folder that it lies in")
        for name in sorted(names):
            if not name.startswith("."):
                yield _file_member(Path(where, name), top)
    for error in unreadable:
        yield _refused(Path(error.filename), f"cannot be read: {explain_os_error(error)}")


def _is_loop(folder: Path, top: Path) -> bool:
    """Tell whether a folder is a link to one of those that lead to it."""
    if not folder.is_symlink():
        return False
    target, above = folder.resolve(), folder
    while above != top:
        above = above.parent
        if above.resolve() == target:
            return True
    return False


def _file_member(path: Path, top: Path) -> Member:
    name = path.relative_to(top).as_posix()
    try:
        info = path.stat()
    except OSError:  # reading it will say why
        return Member(name, str(path), path=path)
    if stat.S_ISREG(info.st_mode):
        return Member(name, str(path), info.st_size, path=path)
    refusal = InputError("not a file", file=str(path), wanted="a plain file", found="a pipe or a device")
    return Member(name, str(path), refusal=refusal)


def _zip_members(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in sorted(opened.infolist(), key=lambda info: info.filename):
            if info.is_dir() or _is_hidden(info.filename):
                continue
            display = f"{archive}:{info.filename}"
            is_link = (info.external_attr >> 16) & 0o170000 == stat.S_IFLNK
            content, refusal = None, _refusal(info.filename, display, is_link=is_link)
            if refusal is None:
                content, refusal = _zip_content(opened, info, display)
            yield Member(info.filename, display, info.file_size, content=content, refusal=refusal)


def _zip_content(
    opened: zipfile.ZipFile, info: zipfile.ZipInfo, display: str
) -> tuple[bytes | None, InputError | None]:
    try:
        with opened.open(info) as stream:
            return _joined(_chunks(stream.read), display), None
    except InputError as error:
        return None, error
    except (*_DAMAGE, RuntimeError) as error:  # RuntimeError: encrypted, or packed in an unknown way
        wanted = "a whole member, packed without password"
        return None, InputError("cannot be unpacked", file=display, wanted=wanted, found=str(error))


class _TarHeader(tarfile.TarInfo):
    """A header of a tar archive; unlike its base, one that is cut short is not the archive's end."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"no end mark, {error}") from error


def _tar_members(archive: Path) -> Iterator[Member]:
    with tarfile.open(archive, tarinfo=_TarHeader) as opened:
        for info in opened:
            if info.isdir() or _is_hidden(info.name):
                continue
            display = f"{archive}:{info.name}"
            refusal = _refusal(info.name, display, is_link=not info.isfile())
            if info.size > MOST_BYTES:
                refusal = _bomb(display)
            stream = None if refusal else opened.extractfile(info)
            content = stream.read() if stream else None
            yield Member(info.name.removeprefix("./"), display, info.size, content=content, refusal=refusal)


def _steps(name: str) -> list[str]:
    return re.split(r"[/\\]", name)


def _is_hidden(name: str) -> bool:
    return any(step.startswith(".") and step not in {".", ".."} for step in _steps(name))


def _refusal(name: str, display: str, *, is_link: bool) -> InputError | None:
    if is_link:
        found = "a link or a device, which is not followed"
        return InputError("archive member is no file", file=display, wanted="a plain file", found=found)
    if ".." in (steps := _steps(name)) or not steps[0]:
        wanted = "a path below the top of the archive"
        return InputError(
            "archive member points outside the archive", file=display, wanted=wanted, found=name
        )
    return None


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], *, private: bool = False) -> Iterator[io.BufferedWriter]:
    """Open a file for writing that appears under its name whole, or not at all.

    A private one can be read by its owner alone.
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
