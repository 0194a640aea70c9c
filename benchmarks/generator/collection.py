"""Collections of any size, document by document, from a seed.

Documents are made in batches, each from its own stream of random numbers, so that any range of a
collection can be made without the rest, memory does not grow, and a smaller fraction is the beginning
of a larger one.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.generator import ieee, wikipedia
from benchmarks.generator.grammar import Grammar
from benchmarks.generator.trees import Trees, grow, size_factors
from benchmarks.generator.typesetting import Typesetter
from benchmarks.generator.vocabulary import Vocabulary, vocabulary

__all__ = ["PROFILES", "Profile", "SourceDocument", "documents", "structures", "write_folders", "write_tar"]


@dataclass(frozen=True)
class Profile:
    """A kind of collection, with the published figures of the real one (004, section 2.1)."""

    name: str
    number: int
    grammar: Callable[[Vocabulary], Grammar]
    documents: int
    size: int  # bytes
    elements: int
    depth: float  # of an element, on average
    batch: int  # documents made at once
    part: int  # documents in a folder
    sigma: float  # spread of document sizes
    file: str  # how files are named
    root: str  # the root's start tag


PROFILES = {
    "wikipedia": Profile(
        "wikipedia",
        1,
        wikipedia.grammar,
        documents=659_388,
        size=4_600_000_000,
        elements=32_500_000,
        depth=4.8,
        batch=256,
        part=1_000,
        sigma=0.9,
        file="{}",
        root='<article xmlns:xlink="http://www.w3.org/1999/xlink" id="{}">',
    ),
    "ieee": Profile(
        "ieee",
        2,
        ieee.grammar,
        documents=16_819,
        size=764_000_000,
        elements=11_000_000,
        depth=6.9,
        batch=48,
        part=100,
        sigma=0.5,
        file="x{:05d}",
        root='<article id="x{:05d}">',
    ),
}


@dataclass(frozen=True)
class SourceDocument:
    """A document as a file: ``part-N/name.xml``."""

    number: int
    path: str
    data: bytes


def documents(profile: Profile, count: int, *, first: int = 0, seed: int = 1) -> Iterator[SourceDocument]:
    """Yield ``count`` documents of a collection, beginning with the one numbered ``first``."""
    typesetter = _typesetter(profile.name, seed)
    for batch in range(first // profile.batch, -(-(first + count) // profile.batch)):
        rng, trees = _structure(profile, batch, seed)
        for place, body in enumerate(typesetter.documents(trees, rng)):
            number = batch * profile.batch + place
            if first <= number < first + count:
                yield _named(profile, number, body)


def structures(profile: Profile, count: int, *, seed: int = 1) -> Iterator[Trees]:
    """Yield the trees of a collection without their text, in whole batches."""
    for batch in range(-(-count // profile.batch)):
        yield _structure(profile, batch, seed)[1]


def _structure(profile: Profile, batch: int, seed: int) -> tuple[np.random.Generator, Trees]:
    rng = np.random.default_rng([seed, profile.number, batch])
    factors = size_factors(rng, profile.batch, profile.sigma)
    return rng, grow(grammar_of(profile, seed), factors, rng)


def _named(profile: Profile, number: int, body: bytes) -> SourceDocument:
    start = '<?xml version="1.0" encoding="UTF-8"?>\n' + profile.root.format(number + 1)
    path = f"part-{number // profile.part}/{profile.file.format(number + 1)}.xml"
    return SourceDocument(number, path, start.encode() + body)


def grammar_of(profile: Profile, seed: int) -> Grammar:
    """Return the grammar of a profile under a seed."""
    return _grammar(profile.name, seed)


@lru_cache(maxsize=4)
def _grammar(name: str, seed: int) -> Grammar:
    return PROFILES[name].grammar(vocabulary(seed))


@lru_cache(maxsize=2)
def _typesetter(name: str, seed: int) -> Typesetter:
    return Typesetter(_grammar(name, seed), vocabulary(seed))


def write_folders(folder: Path, documents: Iterator[SourceDocument]) -> int:
    """Write documents as files in folders ``part-N`` and return their total size."""
    size = 0
    for document in documents:
        path = folder / document.path
        try:
            path.write_bytes(document.data)
        except FileNotFoundError:
            path.parent.mkdir(parents=True)
            path.write_bytes(document.data)
        size += len(document.data)
    return size


def write_tar(archive: Path, documents: Iterator[SourceDocument]) -> int:
    """Write documents into one tar and return their total size."""
    size = 0
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:
        for document in documents:
            member = tarfile.TarInfo(document.path)
            member.size = len(document.data)
            tar.addfile(member, io.BytesIO(document.data))
            size += len(document.data)
    return size
