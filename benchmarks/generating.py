"""The generator itself, which must be fast enough to make large test data again instead of storing them."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.generator.collection import PROFILES, Profile, documents
from benchmarks.lines import Gate, Line
from benchmarks.measuring import best_of, here
from benchmarks.samples import Samples

__all__ = ["measure"]

_SPEED = Gate(">=", 20.0)


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the speed of making each kind of collection on one core, by processor time."""
    for profile in PROFILES.values():
        yield _speed(profile, samples)


def _speed(profile: Profile, samples: Samples) -> Line:
    batches = 1 if samples.scale.name == "quick" else 6
    size = sum(len(document.data) for document in documents(profile, batches * profile.batch))  # and warm up

    def make() -> None:
        for _ in documents(profile, batches * profile.batch):
            pass

    best = best_of(min(3, samples.scale.repetitions), {"make": lambda: here(make)})["make"]
    remark = f"{size / 1e6:.1f} MB in {best}"
    return Line(f"generator {profile.name}: MB/s of one core", size / 1e6 / best.cpu, "", _SPEED, remark)
