"""The fields of a submitted form, with or without uploaded files.

Browsers send a form with files as ``multipart/form-data``, any other form as one line of pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from doxel.assess.judging_events import is_text
from doxel.errors import RefusedError

__all__ = ["FormData", "UploadedFile", "parse_form"]

_MOST_FIELDS = 5_000  # a plan may name all topics and all people
_BOUNDARY = re.compile(r'boundary="?([^";,]{1,200})"?', re.IGNORECASE)
_PARAMETER = re.compile(r'\b(name|filename)="([^"]*)"')


@dataclass(frozen=True)
class UploadedFile:
    """A file that was sent with a form: its name without folders, and its content."""

    name: str
    data: bytes


@dataclass(frozen=True)
class FormData:
    """The fields of a form by name; ``lists`` has all values of fields that occur several times."""

    fields: dict[str, str]
    lists: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, UploadedFile] = field(default_factory=dict)


def parse_form(content_type: str, body: bytes) -> FormData:
    """Parse the body of a form; refuse anything else."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _parse_pairs(body)
    if kind == "multipart/form-data":
        return _parse_parts(content_type, body)
    raise RefusedError(415, "no-form", "wanted a form")


def _parse_pairs(body: bytes) -> FormData:
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise _build_refusal() from None
    return _collect([(key, value.replace("\r\n", "\n")) for key, value in pairs], {})


def _parse_parts(content_type: str, body: bytes) -> FormData:
    r"""Parse the parts of a form with files.

    >>> body = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n'
    >>> _parse_parts("multipart/form-data; boundary=x", body).fields
    {'a': 'b'}
    """
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        raise _build_refusal()
    pairs: list[tuple[str, str]] = []
    files: dict[str, UploadedFile] = {}
    for head, content in _split_parts(b"--" + boundary.group(1).encode(), body):
        parameters = dict(_PARAMETER.findall(head))
        name = parameters.get("name")
        if name is None or len(pairs) + len(files) >= _MOST_FIELDS:
            raise _build_refusal()
        if "filename" in parameters:
            file_name = re.split(r"[/\\\\]", parameters["filename"])[-1][:200]
            if file_name or content:  # no file was chosen
                files[name] = UploadedFile(file_name if is_text(file_name, 200) else "file", content)
            continue
        try:
            pairs.append((name, content.decode().replace("\r\n", "\n")))
        except UnicodeDecodeError:
            raise _build_refusal() from None
    return _collect(pairs, files)


def _split_parts(delimiter: bytes, body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the head and the content of each part."""
    pieces = (b"\r\n" + body).split(b"\r\n" + delimiter)
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise _build_refusal()
    for piece in pieces[1:-1]:
        head, separator, content = piece.partition(b"\r\n\r\n")
        if not separator:
            raise _build_refusal()
        yield head.decode("utf-8", "replace"), content


def _collect(pairs: list[tuple[str, str]], files: dict[str, UploadedFile]) -> FormData:
    lists: dict[str, list[str]] = {}
    for key, value in pairs:
        lists.setdefault(key, []).append(value)
    return FormData(dict(pairs), lists, files)


def _build_refusal() -> RefusedError:
    return RefusedError(400, "bad-request", "the form cannot be parsed")
