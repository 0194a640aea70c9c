"""Compression of files: gzip, xz and zstandard, recognised by content, never by name.

Files are unpacked piece by piece.  One that unpacks to more than the budget allows, in total or in relation
to its size, is treated as a bomb and refused (:mod:`doxel.files.budget`).
"""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from doxel.errors import InputError, MissingExtraError
from doxel.files.budget import find_limit

__all__ = [
    "COMPRESSED_SUFFIXES",
    "DAMAGE",
    "build_bomb_error",
    "build_ratio_error",
    "compress",
    "decompress",
    "is_packed_too_well",
    "join_chunks",
    "looks_compressed",
    "read_chunks",
    "strip_compression",
]

_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_ZLIB = (b"x\x01", b"x\x9c", b"x\xda")
COMPRESSED_SUFFIXES = (".gz", ".xz", ".zst")
_CHUNK, _PAGE = 1 << 20, 1 << 12  # a page of zstandard unpacks to a few megabytes at most

DAMAGE = (
    *(EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, zipfile.BadZipFile, tarfile.TarError),
    # names that are not text, numbers out of range, unknown compression methods
    *(ValueError, OverflowError, struct.error, NotImplementedError),
)
"""The exceptions that reading a damaged file can raise."""

_RATIO_COUNTS_FROM = 64_000_000  # bytes; smaller files cost little, however well they are packed


def decompress(data: bytes, name: str) -> bytes:
    """Return the content of a file, compressed or not."""
    source = io.BytesIO(data)  # its position is the size of the part that is already unpacked
    try:
        if data.startswith(_GZIP):
            return join_chunks(read_chunks(gzip.GzipFile(fileobj=source).read), name, packed=source.tell)
        if data.startswith(_XZ):
            return join_chunks(read_chunks(lzma.LZMAFile(source).read), name, packed=source.tell)
        if data.startswith(_ZSTD):
            return join_chunks(_read_zstd_chunks(source), name, packed=source.tell)
    except DAMAGE as error:
        raise InputError(
            "compressed file is damaged or cut short",
            file=name,
            wanted="a whole compressed file",
            found=str(error),
        ) from error
    return data


def looks_compressed(data: bytes) -> bool:
    """Return whether a bulk reader would treat data as compressed, and so unpack it without a limit."""
    return data.startswith((_GZIP, _XZ, _ZSTD, *_ZLIB))


def read_chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the content of a stream, piece by piece."""
    return iter(partial(read, _CHUNK), b"")


def _read_zstd_chunks(source: io.BytesIO) -> Iterator[bytes]:
    """Yield the content of all frames; unlike a stream reader, fail if the last frame is cut short."""
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("reading .zst files", "zst") from None
    frame = None
    for page in iter(partial(source.read, _PAGE), b""):
        piece = page
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


def join_chunks(chunks: Iterable[bytes], name: str, *, packed: Callable[[], int] | None = None) -> bytes:
    """Join chunks; raise InputError if they exceed the budget.

    ``packed`` returns the compressed size of the chunks so far, which limits their size by a factor.
    """
    # a stream in memory is returned without a copy; joining a list would need twice the memory
    content = io.BytesIO()
    limit, ratio, size = find_limit("unpacked-bytes"), find_limit("ratio"), 0
    for chunk in chunks:
        size += content.write(chunk)
        if size > limit:
            raise build_bomb_error(name)
        if packed is not None and size > max(_RATIO_COUNTS_FROM, packed() * ratio):
            raise build_ratio_error(name)
    return content.getvalue()


def build_ratio_error(name: str) -> InputError:
    """Return the error for a file that unpacks to many times its size."""
    wanted = f"at most {find_limit('ratio'):,} times its size; --budget ratio=N allows more"
    return InputError("unpacks to too much data", file=name, wanted=wanted, found="more")


def is_packed_too_well(packed: int, unpacked: int) -> bool:
    """Return whether a file of a declared size would grow too much."""
    return unpacked > max(_RATIO_COUNTS_FROM, packed * find_limit("ratio"))


def build_bomb_error(name: str) -> InputError:
    """Return the error for a file that unpacks to more bytes than the budget allows."""
    wanted = f"at most {find_limit('unpacked-bytes'):,} bytes; --budget unpacked-bytes=N allows more"
    return InputError("unpacks to too much data", file=name, wanted=wanted, found="more")


def strip_compression(name: str) -> str:
    """Return a file name without its compression suffix; a hidden file such as ``.gz`` keeps its name.

    >>> strip_compression("a.run.gz"), strip_compression("a/.gz")
    ('a.run', 'a/.gz')
    """
    lower = name.lower()
    if not lower.endswith(COMPRESSED_SUFFIXES):  # the usual case, and this runs for every document
        return name
    stem = next(name[: -len(end)] for end in COMPRESSED_SUFFIXES if lower.endswith(end))
    return stem if stem and not stem.endswith("/") else name


def compress(data: bytes, name: str) -> bytes:
    """Compress data if the file name has a compression suffix, in lower or upper case."""
    lower = name.lower()
    if lower.endswith(".gz"):
        return gzip.compress(data, compresslevel=6, mtime=0)
    if lower.endswith(".xz"):
        return lzma.compress(data)
    if lower.endswith(".zst"):
        try:
            import zstandard
        except ImportError:
            raise MissingExtraError("writing .zst files", "zst") from None
        return bytes(zstandard.ZstdCompressor().compress(data))
    return data
