"""Compression of files: gzip, xz and zstandard, recognised by content, never by name.

Files that unpack to more than ``MAX_UNPACKED_BYTES`` are treated as bombs and refused.
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

__all__ = [
    "COMPRESSED_SUFFIXES",
    "DAMAGE",
    "MAX_UNPACKED_BYTES",
    "build_bomb_error",
    "compress",
    "decompress",
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

MAX_UNPACKED_BYTES = 2_000_000_000
"""The most bytes that a compressed file may unpack to."""


def decompress(data: bytes, name: str) -> bytes:
    """Return the content of a file, compressed or not."""
    try:
        if data.startswith(_GZIP):
            return join_chunks(read_chunks(gzip.GzipFile(fileobj=io.BytesIO(data)).read), name)
        if data.startswith(_XZ):
            return join_chunks(read_chunks(lzma.LZMAFile(io.BytesIO(data)).read), name)
        if data.startswith(_ZSTD):
            return join_chunks(_read_zstd_chunks(data), name)
    except DAMAGE as error:
        raise InputError(
            "compressed file is damaged or cut short",
            file=name,
            wanted="a whole compressed file",
            found=str(error),
        ) from error
    return data


def looks_compressed(data: bytes) -> bool:
    """Return whether a bulk reader would take data for compressed, and so unpack it without a limit."""
    return data.startswith((_GZIP, _XZ, _ZSTD, *_ZLIB))


def read_chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the content of a stream, piece by piece."""
    return iter(partial(read, _CHUNK), b"")


def _read_zstd_chunks(data: bytes) -> Iterator[bytes]:
    """Yield the content of all frames; unlike a stream reader, fail if the last frame is cut short."""
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


def join_chunks(chunks: Iterable[bytes], name: str) -> bytes:
    """Join chunks; raise InputError if they exceed ``MAX_UNPACKED_BYTES``."""
    pieces: list[bytes] = []
    size = 0
    for chunk in chunks:
        pieces.append(chunk)
        size += len(chunk)
        if size > MAX_UNPACKED_BYTES:
            raise build_bomb_error(name)
    return b"".join(pieces)


def build_bomb_error(name: str) -> InputError:
    """Return the error for a file that unpacks to more than ``MAX_UNPACKED_BYTES``."""
    wanted = f"at most {MAX_UNPACKED_BYTES:,} bytes"
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
