"""The manifest of a collection: which parts are complete, and the rules they were made by.

It is replaced atomically after every part: what it lists is complete, what it does not list does
not exist.  Crash safety, resuming and adding documents are this one mechanism.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from doxel._version import __version__
from doxel.documents.parts import PartSummary
from doxel.errors import CollectionError
from doxel.files import atomic_write, explain_os_error

__all__ = ["FORMAT", "Ids", "Manifest", "read_manifest", "write_manifest"]

FORMAT = 1
_FILE = "manifest.json"

Ids = Literal["name", "path"]


@dataclass(frozen=True)
class Manifest:
    """What a collection says of itself.

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

    def with_part(self, part: PartSummary) -> Manifest:
        """Return the manifest with one more part."""
        return replace(self, parts=(*self.parts, part), complete=False)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a collection, or say why there is none to read."""
    path = folder / _FILE
    try:
        data = json.loads(path.read_bytes())
        parts = tuple(PartSummary(**part) for part in data.pop("parts"))
        manifest = Manifest(parts=parts, **data)
    except FileNotFoundError:
        what = "has no manifest" if folder.is_dir() else "does not exist"
        raise CollectionError(f"{folder}: {what}: wanted a collection made by 'doxel ingest'") from None
    except OSError as error:
        raise CollectionError(f"{path}: cannot be read: {explain_os_error(error)}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CollectionError(f"{path}: not a manifest of a collection: found {error}") from error
    if manifest.format != FORMAT:
        raise CollectionError(
            f"{folder}: wanted a collection of format {FORMAT}, found format {manifest.format}: "
            "ingest the documents again with this version"
        )
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a collection atomically."""
    with atomic_write(folder / _FILE) as stream:
        stream.write(json.dumps(asdict(manifest), indent=1).encode() + b"\n")
