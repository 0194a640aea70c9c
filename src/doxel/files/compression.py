"""Compressed files: recognised by content (gzip, xz, zstandard), never by name; bombs are refused."""

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
    "MOST_BYTES",
    "bomb",
    "chunks",
    "compress",
    "decompress",
    "joined",
    "looks_packed",
    "strip_compression",
]

_GZIP, _XZ, _ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_ZLIB = (b"x\x01", b"x\x9c", b"x\xda")
COMPRESSED_SUFFIXES = (".gz", ".xz", ".zst")
_CHUNK, _PAGE = 1 << 20, 1 << 12  # a page of zstandard unpacks to at most some megabytes

DAMAGE = (
    *(EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, zipfile.BadZipFile, tarfile.TarError),
    # names that are no text, numbers that fit nowhere, ways of packing that nobody knows
    *(ValueError, OverflowError, struct.error, NotImplementedError),
)
"""What reading a damaged file raises."""

MOST_BYTES = 2_000_000_000
"""What a compressed file may unpack to: more is taken for a bomb."""


def decompress(data: bytes, name: str) -> bytes:
    """Return the content of a file, compressed or not."""
    try:
        if data.startswith(_GZIP):
            return joined(chunks(gzip.GzipFile(fileobj=io.BytesIO(data)).read), name)
        if data.startswith(_XZ):
            return joined(chunks(lzma.LZMAFile(io.BytesIO(data)).read), name)
        if data.startswith(_ZSTD):
            return joined(_zstd_chunks(data), name)
    except DAMAGE as error:
        raise InputError(
            "compressed file is damaged or cut short",
            file=name,
            wanted="a whole compressed file",
            found=str(error),
        ) from error
    return data


def looks_packed(data: bytes) -> bool:
    """Tell whether a bulk reader would take some bytes for a compressed file, and unpack it without bound."""
    return data.startswith((_GZIP, _XZ, _ZSTD, *_ZLIB))


def chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield what a stream holds, piece by piece."""
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


def joined(chunks: Iterable[bytes], name: str) -> bytes:
    """Return the chunks as one, unless they would never end."""
    kept: list[bytes] = []
    size = 0
    for chunk in chunks:
        kept.append(chunk)
        size += len(chunk)
        if size > MOST_BYTES:
            raise bomb(name)
    return b"".join(kept)


def bomb(name: str) -> InputError:
    """Return the error about a file that unpacks to more than any document has."""
    wanted = f"at most {MOST_BYTES:,} bytes"
    return InputError("unpacks without bound", file=name, wanted=wanted, found="more")


def strip_compression(name: str) -> str:
    """Return a file name without the suffix of its compression; a hidden file has none.

    >>> strip_compression("a.run.gz"), strip_compression("a/.gz")
    ('a.run', 'a/.gz')
    """
    lower = name.lower()
    if not lower.endswith(COMPRESSED_SUFFIXES):  # nearly all, and asked of every document again and again
        return name
    stem = next(name[: -len(end)] for end in COMPRESSED_SUFFIXES if lower.endswith(end))
    return stem if stem and not stem.endswith("/") else name


def compress(data: bytes, name: str) -> bytes:
    """Return data compressed as the suffix of a name says, in small letters or in capitals."""
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
