"""Flip single bits in the files of a collection, and look for scores that change without an error.

``python -m tools.bit_flips [--flips 500] [--seed 1]`` ingests the demo's handbook in several parts, builds
its search index, and computes scores and search results.  Then it flips one bit at a time, in each file of
the folder equally often, and computes them again.  Each flip must leave them the same or raise an error of
doxel; anything else is printed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import doxel
from doxel.campaign.demo_campaign import DemoFiles, write_demo
from doxel.documents.ingestion import ingest
from doxel.errors import DoxelError
from doxel.search.search_index import open_index

__all__ = ["Flip", "FlippedCollection", "flip_bits"]

_MEASURES = ("nxCG@10", "MAiP", "char_f1", "token_iou")
_WORDS = ("overlap", "recall", "element")
_PART_BYTES = 150_000  # makes several parts of the handbook


@dataclass(frozen=True)
class Flip:
    """One flipped bit, and its outcome: same, error, changed or crash."""

    file: str
    byte: int
    bit: int
    outcome: str
    message: str = ""


class FlippedCollection:
    """The demo's collection in a folder of its own, and what is computed from it."""

    def __init__(self, folder: Path, *, search: bool = True) -> None:
        self._demo: DemoFiles = write_demo(folder)
        self._search = search
        self.folder = folder / "flipped.doxel"
        with mock.patch("doxel.documents.ingestion.BATCH_BYTES", _PART_BYTES):
            ingest(self._demo.handbook, self.folder, jobs=1)
        self._runs = [path for path in self._demo.runs if path.name in ("bm25-focused.xml", "bm25-entry.run")]
        self.expected = self.compute()

    def compute(self) -> tuple[object, ...]:
        """Return scores, all attributes and breaks, and the hits of some words."""
        collection = doxel.read_collection(self.folder)
        assessments = self._demo.assessments["qrels"]
        result = doxel.evaluate(self._runs, assessments, measures=list(_MEASURES), collection=collection)
        tables = tuple(
            (collection.text(number), collection.attributes(number).rows(), collection.breaks(number).rows())
            for number in range(len(collection))
        )
        scores = repr(result.scores.rows())  # as text, in which undefined scores are equal
        return scores, tables, *(self._search_hits() if self._search else ())

    def _search_hits(self) -> Iterator[object]:
        index = open_index(self.folder, jobs=1)
        for word in _WORDS:
            rows, scores = index.hits(tuple(index.words.of(word)))
            yield sorted(zip(rows.tolist(), scores.tolist(), strict=True))

    def list_files(self) -> list[Path]:
        """Return all files of the collection that are not empty."""
        return sorted(path for path in self.folder.rglob("*") if path.is_file() and path.stat().st_size)

    def flip(self, path: Path, place: int, bit: int) -> Flip:
        """Flip a bit, compute everything again, and restore the file."""
        intact = path.read_bytes()
        flipped = bytearray(intact)
        flipped[place] ^= 1 << bit
        _replace(path, flipped)
        name = path.relative_to(self.folder).as_posix()
        try:
            outcome, message = ("same", "") if self.compute() == self.expected else ("changed", "")
        except DoxelError as error:
            outcome, message = "error", str(error)
        except BaseException as error:  # a panic of a library is not an Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            outcome, message = "crash", f"{type(error).__name__}: {error}"
        if path.exists() and path.read_bytes() == flipped:  # a damaged search index was built again
            _replace(path, intact)
        return Flip(name, place, bit, outcome, message)


def _replace(path: Path, data: bytes | bytearray) -> None:
    """Put another file in the place of a file, which a library may still have mapped to memory."""
    other = path.with_name(f"{path.name}.other")
    other.write_bytes(data)
    other.replace(path)


def flip_bits(collection: FlippedCollection, flips: int, seed: int) -> Iterator[Flip]:
    """Yield the outcomes of random flips."""
    generator = random.Random(seed)  # noqa: S311 -- not for secrets
    for _ in range(flips):
        path = generator.choice(collection.list_files())
        place = generator.randrange(path.stat().st_size)
        yield collection.flip(path, place, generator.randrange(8))


def main() -> int:
    """Flip bits and print the outcomes."""
    parser = argparse.ArgumentParser(prog="python -m tools.bit_flips", description=__doc__)
    parser.add_argument("--flips", type=int, default=500, help="how many; default 500")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers; default 1")
    options = parser.parse_args()
    outcomes: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        collection = FlippedCollection(Path(scratch))
        for number, flip in enumerate(flip_bits(collection, options.flips, options.seed), 1):
            outcomes[flip.file.split("/")[-1].split(".")[-1], flip.outcome] += 1
            if flip.outcome in ("changed", "crash"):
                print(f"{flip.outcome}: {flip.file}, byte {flip.byte}, bit {flip.bit}: {flip.message}")
            if number % 50 == 0:
                print(f"{number} of {options.flips} flips", file=sys.stderr, flush=True)
    for (kind, outcome), count in sorted(outcomes.items()):
        print(f"{count:5}  {kind:12} {outcome}")
    bad = sum(count for (_, outcome), count in outcomes.items() if outcome in ("changed", "crash"))
    print(f"{options.flips} flips: {bad} silent changes or crashes")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
