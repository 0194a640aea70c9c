"""Read whole files: decompressed and decoded."""

from __future__ import annotations

import os
import stat

from doxel.errors import InputError
from doxel.files.compression import chunks, decompress, joined

__all__ = ["decode", "explain_os_error", "read_bytes", "read_text"]


def explain_os_error(error: OSError | ValueError) -> str:
    """Return the reason why a file cannot be opened, for use inside a sentence.

    >>> explain_os_error(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return reason[:1].lower() + reason[1:]


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a whole file, and decompress it if it is compressed."""
    name = str(path)
    try:
        # no path object: creating one takes as long as reading a small file
        with open(path, "rb") as stream:  # noqa: PTH123
            is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            # pipes are allowed, but reading a device could never end
            data = stream.read() if is_file else joined(chunks(stream.read), name)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=name) from error
    return decompress(data, name)


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a whole UTF-8 file without its byte-order mark; an invalid byte is reported with its line."""
    return decode(read_bytes(path), str(path))


def decode(data: bytes, name: str) -> str:
    r"""Decode UTF-8; an invalid byte is reported with its line.

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
