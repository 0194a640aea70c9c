"""Files: compressed or not, one or many, read whole and written atomically.

Compression is recognised by content (gzip, xz, zstandard), never by name.  Folders and archives
(zip, tar, compressed tar) are walked as sequences of members; an archive is never unpacked to disk,
and a member that points outside it, or is a link, is refused.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import os
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from doxel.errors import InputError, MissingExtraError

__all__ = ["Member", "atomic_write", "explain_os_error", "members", "read_bytes", "read_text"]

_GZIP, _XZ, _ZSTD, _ZIP = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_COMPRESSED_SUFFIXES = (".gz", ".xz", ".zst")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a folder or archive, or a file named alone.

    ``name`` is its path below the folder or archive, with forward slashes; ``display`` is what a
    person would call it.  The content is read when asked for, so that a worker can do it; members of
    archives carry theirs, because archives are read from front to back.
    """

    name: str
    display: str
    size: int
    path: Path | None = None
    content: bytes | None = None
    refusal: str | None = None

    def read(self) -> bytes:
        """Return the content, decompressed."""
        if self.refusal is not None:
            raise InputError(self.refusal, file=self.display)
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
    """Decode UTF-8; a wrong byte is reported with its line.

    >>> decode(b"caf\\xe9", "menu.txt")
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
            return gzip.decompress(data)
        if data.startswith(_XZ):
            return lzma.decompress(data)
        if data.startswith(_ZSTD):
            return _decompress_zstd(data)
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise InputError(
            "compressed file is damaged or cut short",
            file=name,
            wanted="a whole compressed file",
            found=str(error),
        ) from error
    return data


def _decompress_zstd(data: bytes) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("reading .zst files", "zst") from None
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as stream:
            return bytes(stream.read())
    except zstandard.ZstdError as error:
        raise OSError(str(error)) from error


def strip_compression(name: str) -> str:
    """Return a file name without the suffix of its compression.

    >>> strip_compression("a.run.gz")
    'a.run'
    """
    return next((name.removesuffix(suffix) for suffix in _COMPRESSED_SUFFIXES if name.endswith(suffix)), name)


def members(source: str | os.PathLike[str]) -> Iterator[Member]:
    """Yield the files of a folder or archive in order of name, or the one file that ``source`` is.

    Hidden files are left out; links inside folders are followed, links inside archives refused.
    """
    path = Path(source)
    if path.is_dir():
        yield from _folder_members(path)
        return
    try:
        with path.open("rb") as stream:
            head = stream.read(6)
        if head.startswith(_ZIP):
            yield from _zip_members(path)
        elif tarfile.is_tarfile(path):
            yield from _tar_members(path)
        else:
            yield Member(path.name, str(path), path.stat().st_size, path=path)
    except (EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, tarfile.TarError) as error:
        raise InputError("archive is damaged or cut short", file=str(path), found=str(error)) from error
    except OSError as error:
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=str(path)) from error


def _folder_members(folder: Path) -> Iterator[Member]:
    for where, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                path = Path(where, name)
                size = path.stat().st_size if path.exists() else 0
                yield Member(path.relative_to(folder).as_posix(), str(path), size, path=path)


def _zip_members(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in sorted(opened.infolist(), key=lambda info: info.filename):
            if info.is_dir() or _is_hidden(info.filename):
                continue
            is_link = (info.external_attr >> 16) & 0o170000 == 0o120000
            refusal = _refusal(info.filename, is_link=is_link)
            content = None if refusal else opened.read(info)
            yield Member(
                info.filename,
                f"{archive}:{info.filename}",
                info.file_size,
                content=content,
                refusal=refusal,
            )


def _tar_members(archive: Path) -> Iterator[Member]:
    with tarfile.open(archive) as opened:
        for info in opened:
            if info.isdir() or _is_hidden(info.name):
                continue
            refusal = _refusal(info.name, is_link=not info.isfile())
            stream = None if refusal else opened.extractfile(info)
            content = stream.read() if stream else None
            name = info.name.removeprefix("./")
            yield Member(name, f"{archive}:{info.name}", info.size, content=content, refusal=refusal)


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") and part not in {".", ".."} for part in PurePosixPath(name).parts)


def _refusal(name: str, *, is_link: bool) -> str | None:
    if is_link:
        return "archive member is a link or a device, which doxel does not follow"
    if name.startswith(("/", "\\")) or ".." in PurePosixPath(name).parts:
        return "archive member points outside the archive"
    return None


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[io.BufferedWriter]:
    """Open a file for writing that appears under its name whole, or not at all."""
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
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise InputError(f"cannot be written: {explain_os_error(error)}", file=str(target)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
