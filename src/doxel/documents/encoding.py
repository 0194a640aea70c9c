"""Decode the bytes of a source document: by its byte order mark, its declaration, or as UTF-8.

A byte order mark means UTF-8, UTF-16 or UTF-32 and is not part of the text.  Without one the encoding is
the one that the document declares, or UTF-8.  Invalid bytes are refused, never replaced: one character
more or less would shift every position after it.
"""

from __future__ import annotations

import codecs

from doxel.errors import InputError

__all__ = ["decode_source"]

# The longer marks first: the mark of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SHOWN = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


def decode_source(data: bytes, name: str, *, declared: str | None = None) -> str:
    r"""Return the text of a document; an invalid byte is reported with its line.

    >>> decode_source(b"caf\xc3\xa9", "menu.txt")
    'café'
    >>> decode_source(b"line\ncaf\xe9", "menu.txt")
    Traceback (most recent call last):
    doxel.errors.InputError: menu.txt, line 2: wanted UTF-8 text, found byte 0xe9
    """
    if not data.strip():
        found = "nothing but white space" if data else "no content"
        raise InputError("empty file", file=name, wanted="a document", found=found)
    mark, encoding = next(
        ((mark, encoding) for mark, encoding in _MARKS if data.startswith(mark)), (b"", declared or "utf-8")
    )
    body = data[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, "ignore")
        wanted = f"{_SHOWN.get(encoding, encoding)} text"
        found = f"byte 0x{body[error.start]:02x}"
        raise InputError("", file=name, line=_line(before), wanted=wanted, found=found) from None
    at = text.find("\0")
    if at >= 0:
        wanted = "text in UTF-8, or with a byte order mark in UTF-16"
        found = "a null character, as in binary files"
        raise InputError("not text", file=name, line=_line(text[:at]), wanted=wanted, found=found)
    return text


def _line(before: str) -> int:
    return before.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
