"""Mutations of valid files: of bytes, lines, fields, numbers, encoding, compression and archives.

A mutation takes bytes and a ``random.Random``, possibly one that hypothesis controls, and returns other
bytes.
"""

from __future__ import annotations

import gzip
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable
from random import Random

import zstandard

__all__ = ["MUTATIONS", "NASTY", "mutate", "nested"]

Mutation = Callable[[bytes, Random], bytes]

NASTY = (
    *("", " ", "0", "-1", "1", "00", "+5", "-0", "1.5", "1e5", "1e400", "-1e400", "1e-400", "0x10", "1_0"),
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "null", "None", "true", "X", "U", "?"),
    *("2147483648", "4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551616"),
    *("999999999999999999", "1000000000000000000", "1" + "0" * 400, "9" * 5000, "." * 40),
    *("١٢", "²", "٣.٥", "½", "½", "\u2028", "\u00a0", "\u0085", "\ufeff", "\x00", "\x1b[31m"),
    *("é", "e\u0301", "😀", "\U0010ffff", "\ufffe", "\\ud800", "\\udc00\\ud800", "\\u0000"),
    *(
        "/",
        "//",
        "/a[0]",
        "/a[99999999999999999999]",
        "/a[1]/text()[1].99999999999999999999",
        "/a[-1]",
        "a:b",
    ),
    *("../../etc/passwd", "%s%n", "'", '"', "<", "&", "&undefined;", "]]>", "--", "{}", "[]", "[[]]", "\\"),
    *('{"a": 1}', "[1, 2]", '"text"', "{", "}", "[", "]", "(", ")", "@", ":", "=", ",", "#", "//*", "-" * 80),
)
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_FIELD = re.compile(rb"[^\s\"'<>{}\[\]:,=]+")
_BYTES = (
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
    b"\n",
    b"\r",
    b"\t",
)


def mutate(data: bytes, chance: Random, most: int = 3) -> bytes:
    """Apply one to ``most`` random mutations."""
    for _ in range(chance.randint(1, most)):
        data = chance.choice(MUTATIONS)(data, chance)
    return data


def nested(opening: str, inner: str, closing: str, depth: int) -> str:
    """Return a text nested ``depth`` times in opening and closing marks."""
    return opening * depth + inner + closing * depth


def _place(data: bytes, chance: Random) -> int:
    return chance.randint(0, len(data))


def _change_byte(data: bytes, chance: Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _insert_byte(data: bytes, chance: Random) -> bytes:
    at = _place(data, chance)
    return data[:at] + chance.choice(_BYTES) + data[at:]


def _insert_text(data: bytes, chance: Random) -> bytes:
    at = _place(data, chance)
    return data[:at] + _nasty(chance) + data[at:]


def _cut_out(data: bytes, chance: Random) -> bytes:
    begin = _place(data, chance)
    return data[:begin] + data[begin + chance.randint(1, 40) :]


def _repeat(data: bytes, chance: Random) -> bytes:
    begin = _place(data, chance)
    end = begin + chance.randint(1, 200)
    return data[:end] + data[begin:end] * chance.choice((1, 1, 3, 50)) + data[end:]


def _truncate(data: bytes, chance: Random) -> bytes:
    return data[: _place(data, chance)]


def _lines(data: bytes, chance: Random) -> bytes:
    """Remove, repeat, swap, blank, join or replace a line."""
    lines = data.split(b"\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    way = chance.randrange(6)
    if way == 0:
        del lines[first]
    elif way == 1:
        lines.insert(second, lines[first])
    elif way == 2:
        lines[first], lines[second] = lines[second], lines[first]
    elif way == 3:
        lines[first] = b""
    elif way == 4:
        lines[first] += b" " + lines[second]
    else:
        lines[first] = _nasty(chance)
    return b"\n".join(lines)


def _line_ends(data: bytes, chance: Random) -> bytes:
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b"\n\r", b"\x0b", b" ", b"\t", b"")))


def _blanks(data: bytes, chance: Random) -> bytes:
    return data.replace(b" ", chance.choice((b"\t", b"  ", b"\xc2\xa0", b"\x0b", b"\x00", b"")))


def _swap_at(pattern: re.Pattern[bytes], data: bytes, chance: Random) -> bytes:
    matches = list(pattern.finditer(data))
    if not matches:
        return data
    match = chance.choice(matches)
    new = chance.choice(matches)[0] if chance.randrange(4) == 0 else _nasty(chance)
    return data[: match.start()] + new + data[match.end() :]


def _change_number(data: bytes, chance: Random) -> bytes:
    return _swap_at(_NUMBER, data, chance)


def _change_field(data: bytes, chance: Random) -> bytes:
    return _swap_at(_FIELD, data, chance)


def _all_numbers(data: bytes, chance: Random) -> bytes:
    new = _nasty(chance)
    return _NUMBER.sub(lambda _: new, data)


def _deepen(data: bytes, chance: Random) -> bytes:
    depth = chance.choice((2, 60, 300, 900, 985, 990, 995, 5000))
    pairs = (("[", "1", "]"), ('{"a":', "1", "}"), ("<a>", "", "</a>"), ("(", "1", ")"), ("//a[", "", "]"))
    new = nested(*chance.choice(pairs), depth).encode()
    matches = list(_FIELD.finditer(data))
    if not matches or chance.randrange(4) == 0:
        return data + new
    begin, end = chance.choice(matches).span()
    if data[begin - 1 : begin] == data[end : end + 1] == b'"' and chance.randrange(2):
        begin, end = begin - 1, end + 1  # replace a JSON string with its quotes
    return data[:begin] + new + data[end:]


def _encoding(data: bytes, chance: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    name = chance.choice(
        ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "utf-7", "cp037")
    )
    return text.encode(name, "replace")


def _compress(data: bytes, chance: Random) -> bytes:
    ways: tuple[Callable[[bytes], bytes], ...] = (
        gzip.compress,
        lzma.compress,
        zstandard.ZstdCompressor().compress,
        lambda content: gzip.compress(gzip.compress(content)),
        lambda content: gzip.compress(content)[: max(12, len(content) // 2)],
        lambda content: b"\x1f\x8b" + content,
        lambda content: b"\xfd7zXZ\x00" + content,
        lambda content: b"\x28\xb5\x2f\xfd" + content,
        lambda content: b"BZh9" + content,
    )
    return chance.choice(ways)(data)


def _pack(data: bytes, chance: Random) -> bytes:
    """Put a file into an archive, often with a hostile name or type."""
    name = chance.choice(
        (
            "a.xml",
            "a/b.jsonl",
            "../a.xml",
            "/etc/a.xml",
            "..\\a.xml",
            "",
            "a.xml/",
            "\x00.xml",
            "é" * 90,
            "-",
            ".a",
        )
    )
    target = io.BytesIO()
    if chance.randrange(2):
        with zipfile.ZipFile(
            target, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
        ) as zipped:
            for again in range(chance.choice((1, 1, 2))):
                zipped.writestr(zipfile.ZipInfo(name + "x" * again), data)
        return target.getvalue()
    with tarfile.open(
        fileobj=target, mode=chance.choice(("w", "w:gz", "w:xz")), format=tarfile.GNU_FORMAT
    ) as packed:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        kinds = (
            tarfile.REGTYPE,
            tarfile.REGTYPE,
            tarfile.SYMTYPE,
            tarfile.LNKTYPE,
            tarfile.CHRTYPE,
            tarfile.FIFOTYPE,
        )
        info.type = chance.choice(kinds)
        info.linkname = "/etc/passwd"
        packed.addfile(info, io.BytesIO(data))
    return target.getvalue()


def _nasty(chance: Random) -> bytes:
    return chance.choice(NASTY).encode("utf-8", "surrogatepass")


MUTATIONS: tuple[Mutation, ...] = (
    *(_change_byte, _insert_byte, _insert_text, _cut_out, _repeat, _truncate, _lines, _line_ends, _blanks),
    *(_change_number, _change_number, _change_field, _change_field, _change_field, _all_numbers, _deepen),
    *(_encoding, _compress, _pack),
)
