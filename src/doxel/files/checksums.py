"""Checksums of stored files, which show that a file changed since it was written.

A ``FileChecksum`` has the size of a file and three checksums, for three moments:

======  ==========================================================================================
end     CRC-32 of the last bytes, where Parquet has its footer: checked when a collection is opened
crc32   CRC-32 of the whole file: checked when the file is read
sha256  SHA-256 of the whole file, shortened: checked when a collection is verified
======  ==========================================================================================

CRC-32 detects every change of up to 32 adjacent bits, and all but one in four billion others.  It is about
twice as fast as SHA-256 on processors with instructions for SHA, and faster still on others.  Parquet's own
checksums of pages are of no use here: Polars writes none, and ignores those in files of other programs.

These checksums detect accidents: bad disks, interrupted copies, exchanged files.  They do not
detect a deliberate change, whose author can compute checksums too.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "FileChecksum",
    "compute_checksum",
    "compute_seal",
    "find_damage",
    "find_damaged_content",
    "find_damaged_end",
    "find_damaged_file",
    "parse_checksums",
]

_END_BYTES = 1000  # the footer of a table in one row group is shorter
_BLOCK_BYTES = 1 << 22


class FileChecksum(NamedTuple):
    """The size and the checksums of a file; see the table above."""

    size: int
    end: str
    crc32: str
    sha256: str


def compute_checksum(path: Path) -> FileChecksum:
    """Return the checksum of a file, read block by block."""
    size, crc, digest, end = 0, 0, hashlib.sha256(), b""
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            size += len(block)
            crc = zlib.crc32(block, crc)
            digest.update(block)
            end = (end + block[-_END_BYTES:])[-_END_BYTES:]
    return FileChecksum(size, _show(zlib.crc32(end)), _show(crc), digest.hexdigest()[:32])


def _show(crc: int) -> str:
    return f"{crc:08x}"


def parse_checksums(data: object) -> dict[str, FileChecksum]:
    """Return the checksums of files by name, as JSON stores them; raise ``ValueError`` for anything else."""
    if not isinstance(data, dict):
        raise ValueError("checksums that are not an object")  # noqa: TRY004 -- as for other bad content
    checksums = {}
    for name, fields in data.items():
        if not isinstance(fields, list) or [type(field) for field in fields] != [int, str, str, str]:
            raise ValueError(f"a checksum of {name!r} that is not a size and three strings")
        checksums[name] = FileChecksum(*fields)
    return checksums


def find_damage(data: bytes, checksum: FileChecksum) -> str | None:
    """Return how the content of a file differs from its checksum, or None.

    >>> find_damage(b"abc", FileChecksum(4, "", "", ""))
    'wanted 4 bytes, found 3'
    """
    if len(data) != checksum.size:
        return _describe_size(checksum, len(data))
    return _compare("CRC-32", checksum.crc32, _show(zlib.crc32(data)))


def find_damaged_content(path: Path, checksum: FileChecksum) -> str | None:
    """Return how the content of a file differs from its checksum, or None, without loading the file."""
    size, crc = 0, 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            size += len(block)
            crc = zlib.crc32(block, crc)
    if size != checksum.size:
        return _describe_size(checksum, size)
    return _compare("CRC-32", checksum.crc32, _show(crc))


def find_damaged_end(path: str | Path, checksum: FileChecksum) -> str | None:
    """Return how the size or the last bytes of a file differ from its checksum, or None."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        if size != checksum.size:
            return _describe_size(checksum, size)
        end = os.pread(descriptor, _END_BYTES, max(0, size - _END_BYTES))
    finally:
        os.close(descriptor)
    return _compare("CRC-32 of its end", checksum.end, _show(zlib.crc32(end)))


def find_damaged_file(path: Path, checksum: FileChecksum) -> str | None:
    """Return how a file, read whole, differs from all that its checksum records, or None."""
    actual = compute_checksum(path)
    if actual.size != checksum.size:
        return _describe_size(checksum, actual.size)
    return (
        _compare("SHA-256", checksum.sha256, actual.sha256)
        or _compare("CRC-32", checksum.crc32, actual.crc32)
        or _compare("CRC-32 of its end", checksum.end, actual.end)
    )


def _describe_size(checksum: FileChecksum, size: int) -> str:
    return f"wanted {checksum.size:,} bytes, found {size:,}"


def _compare(kind: str, wanted: str, actual: str) -> str | None:
    return None if wanted == actual else f"wanted the {kind} {wanted}, found {actual}"


def compute_seal(data: Mapping[str, Any]) -> str:
    """Return a checksum of a JSON object, independent of its layout and of the order of its keys.

    >>> compute_seal({"a": 1, "b": 2}) == compute_seal({"b": 2, "a": 1})
    True
    """
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
