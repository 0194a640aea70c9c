"""The manifest of a collection: which parts are complete, and the rules they were made by.

It is replaced atomically after every part: what it lists is complete, what it does not list does
not exist.  Crash safety, resuming and adding documents are this one mechanism.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from doxel._version import __version__
from doxel.documents.parts import PartSummary
from doxel.errors import CollectionError
from doxel.files import atomic_write, explain_os_error
from doxel.wording import shown

__all__ = ["FILE", "FORMAT", "Ids", "Manifest", "read_manifest", "write_manifest"]

FORMAT = 1
FILE = "manifest.json"
_PART = re.compile(r"part-[0-9]{1,9}")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_TOO_MANY = 10**15  # of anything that one part could hold

Ids = Literal["name", "path"]


@dataclass(frozen=True)
class Manifest:
    """What a collection says of itself.

    ``text_rule`` names the rules that its texts were made by, separated by commas if there are several.
    ``ids`` is undecided (None) until an ingestion has come to its end; until then ids are base
    names where these are unique and paths where not.
    """

    text_rule: str
    ids: Ids | None = None
    parts: tuple[PartSummary, ...] = ()
    complete: bool = False
    format: int = FORMAT
    written_by: str = __version__

    @property
    def fingerprint(self) -> str:
        """A hash of all documents' names and texts, whatever their order."""
        return f"{sum(int(part.fingerprint, 16) for part in self.parts) % (1 << 128):032x}"

    @property
    def next_part(self) -> int:
        """The number of the part that comes after those that are listed."""
        return 1 + max((int(part.name.removeprefix("part-")) for part in self.parts), default=0)

    def with_part(self, part: PartSummary, rules: Iterable[str] = ()) -> Manifest:
        """Return the manifest with one more part, whose texts were made by some rules."""
        known = {rule for rule in self.text_rule.split(", ") if rule}
        text_rule = ", ".join(sorted(known.union(rules)))
        return replace(self, parts=(*self.parts, part), text_rule=text_rule, complete=False)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a collection, or say why there is none to read."""
    path = folder / FILE
    try:
        data = json.loads(path.read_bytes())
        if data["format"] == FORMAT:
            return _manifest(data)
    except FileNotFoundError:
        what = "has no manifest" if folder.is_dir() else "does not exist"
        raise CollectionError(f"{folder}: {what}: wanted a collection made by 'doxel ingest'") from None
    except OSError as error:
        raise CollectionError(f"{path}: cannot be read: {explain_os_error(error)}") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CollectionError(f"{path}: not a manifest of a collection: found {str(error)[:200]}") from error
    raise CollectionError(
        f"{folder}: wanted a collection of format {FORMAT}, found format {shown(data['format'])}: "
        "ingest the documents again with this version"
    )


def _manifest(data: dict[str, Any]) -> Manifest:
    parts = tuple(PartSummary(**part) for part in data.pop("parts"))
    odd = [part.name for part in parts if not _PART.fullmatch(part.name)]
    if odd:
        raise ValueError(f"a part called {shown(odd[0])}, not part-0001 and so on")
    if len({part.name for part in parts}) < len(parts):
        raise ValueError("a part that is listed twice")
    for part in parts:
        counts = (part.documents, part.elements, part.characters)
        if not all(type(count) is int and 0 <= count < _TOO_MANY for count in counts):
            raise ValueError(f"{part.name} with counts that are none")
        if not isinstance(part.fingerprint, str) or not _FINGERPRINT.fullmatch(part.fingerprint):
            raise ValueError(f"{part.name} with a fingerprint that is none")
    made = Manifest(parts=parts, **data)
    if made.ids not in {None, "name", "path"} or not isinstance(made.text_rule, str):
        raise ValueError("ids or text rules of another kind")
    return made


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a collection atomically."""
    # without copying each part, which would take longer with every part that is added
    said = {**vars(manifest), "parts": [vars(part) for part in manifest.parts]}
    with atomic_write(folder / FILE) as stream:
        stream.write(json.dumps(said, indent=1).encode() + b"\n")
