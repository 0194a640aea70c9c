"""The manifest of a collection: its complete parts, and the text rules they follow.

It is replaced atomically after every part: the parts it lists are complete, other parts do not exist.
This one mechanism provides crash safety, resuming and adding documents.
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
_TOO_MANY = 10**15  # documents, elements or characters of one part

Ids = Literal["name", "path"]


@dataclass(frozen=True)
class Manifest:
    """The properties of a collection and the list of its parts.

    ``text_rule`` names the rules that its texts follow, separated by commas.  ``ids`` is undecided (None)
    until an ingestion has been completed; until then ids are base names if these are unique, else paths.
    """

    text_rule: str
    ids: Ids | None = None
    parts: tuple[PartSummary, ...] = ()
    complete: bool = False
    format: int = FORMAT
    written_by: str = __version__

    @property
    def fingerprint(self) -> str:
        """A hash of all documents' names and texts, independent of their order."""
        return f"{sum(int(part.fingerprint, 16) for part in self.parts) % (1 << 128):032x}"

    @property
    def next_part(self) -> int:
        """The number of the next part."""
        return 1 + max((int(part.name.removeprefix("part-")) for part in self.parts), default=0)

    def with_part(self, part: PartSummary, rules: Iterable[str] = ()) -> Manifest:
        """Return the manifest with one more part, whose texts follow ``rules``."""
        known_rules = {rule for rule in self.text_rule.split(", ") if rule}
        text_rule = ", ".join(sorted(known_rules.union(rules)))
        return replace(self, parts=(*self.parts, part), text_rule=text_rule, complete=False)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a collection; raise CollectionError with the reason if that fails."""
    path = folder / FILE
    try:
        data = json.loads(path.read_bytes())
        if data["format"] == FORMAT:
            return _manifest(data)
    except FileNotFoundError:
        problem = "has no manifest" if folder.is_dir() else "does not exist"
        raise CollectionError(f"{folder}: {problem}: wanted a collection made by 'doxel ingest'") from None
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
    odd_names = [part.name for part in parts if not _PART.fullmatch(part.name)]
    if odd_names:
        raise ValueError(f"a part named {shown(odd_names[0])}, not like part-0001")
    if len({part.name for part in parts}) < len(parts):
        raise ValueError("the same part twice")
    for part in parts:
        counts = (part.documents, part.elements, part.characters)
        if not all(type(count) is int and 0 <= count < _TOO_MANY for count in counts):
            raise ValueError(f"{part.name} with invalid counts")
        if not isinstance(part.fingerprint, str) or not _FINGERPRINT.fullmatch(part.fingerprint):
            raise ValueError(f"{part.name} with an invalid fingerprint")
    manifest = Manifest(parts=parts, **data)
    if manifest.ids not in {None, "name", "path"} or not isinstance(manifest.text_rule, str):
        raise ValueError("invalid ids or text rules")
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a collection atomically."""
    # vars() rather than asdict(), which would copy every part each time one is added
    data = {**vars(manifest), "parts": [vars(part) for part in manifest.parts]}
    with atomic_write(folder / FILE) as stream:
        stream.write(json.dumps(data, indent=1).encode() + b"\n")
