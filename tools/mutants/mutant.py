"""One mutant, and the text of a file with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "SOURCE", "Mutant", "MutantError"]

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "doxel"


class MutantError(Exception):
    """A mutant that no longer fits its file."""


@dataclass(frozen=True)
class Mutant:
    """An edit: in ``file`` of the package, ``old`` becomes ``new``; ``why`` names what it breaks."""

    file: str
    old: str
    new: str
    why: str

    def __str__(self) -> str:
        return f"{self.file}: {self.why}"

    def apply(self, text: str) -> str:
        """Return the text of the file with the edit."""
        count = text.count(self.old)
        if count != 1 or self.old == self.new:
            raise MutantError(f"{self}: wanted {self.old!r} once, found it {count} times")
        return text.replace(self.old, self.new)


def edits(file: str, *rows: tuple[str, str, str]) -> list[Mutant]:
    """Return the mutants of one file, from (why, old, new)."""
    return [Mutant(file, old, new, why) for why, old, new in rows]
