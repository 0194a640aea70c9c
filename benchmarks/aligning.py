"""Texts aligned with 1.4 million characters, against Python's own search for the same texts."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable, Iterator

from benchmarks.lines import Gate, Line
from benchmarks.measuring import best_of, here, quiet
from benchmarks.samples import QUICK, Samples
from doxel.alignment.aligner import Aligner
from doxel.documents.collection import TextCollection

__all__ = ["measure", "write_noisy_texts"]

_DOCUMENTS, _CHARACTERS, _TEXTS = 100, 1_400_000, 10_000
_SIZES = (100, 1000)  # characters of a text, from and to
_LINE = 60  # characters of a short text, which often shares no long sequence with its source
_UNDAMAGED, _DAMAGED, _BYTES = Gate(">=", 0.2), Gate(">=", 0.03), Gate("<=", 40.0)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the speed of aligning whole, folded and damaged texts, and the memory of the index."""
    share = 0.02 if samples.scale is QUICK else 1.0
    generator = random.Random(7)
    documents = _write_documents(generator, int(_CHARACTERS * share))
    collection, joined = TextCollection(documents), "\0".join(documents.values())
    texts = _cut_texts(generator, list(documents.values()), int(_TEXTS * share))
    yield _measure_memory(collection, texts[0], len(joined))
    changes: dict[str, tuple[Callable[[str], str], Gate]] = {
        "as they are": (str, _UNDAMAGED),
        "in upper case": (str.upper, _UNDAMAGED),
        "with a prefix": (lambda text: f"What follows is about something else entirely: {text}", _DAMAGED),
        "with 5 % noise": (lambda text: _add_noise(generator, text, 0.05), _DAMAGED),
        "of a line, with 10 % noise": (lambda text: _add_noise(generator, text[:_LINE], 0.1), _DAMAGED),
    }
    for name, (change, gate) in changes.items():
        changed = [change(text) for text in texts]
        find = _build_search(joined, texts)
        yield _compare(name, find, collection, changed, gate, samples)


def write_noisy_texts(count: int) -> tuple[dict[str, str], list[str]]:
    """Return documents, and texts cut from them with noise of 5 %."""
    generator = random.Random(7)
    documents = _write_documents(generator, _CHARACTERS)
    texts = _cut_texts(generator, list(documents.values()), count)
    return documents, [_add_noise(generator, text, 0.05) for text in texts]


def _build_search(joined: str, texts: list[str]) -> Callable[[], object]:
    return lambda: [joined.find(text) for text in texts]


def _compare(
    name: str,
    find: Callable[[], object],
    collection: TextCollection,
    texts: list[str],
    gate: Gate,
    samples: Samples,
) -> Line:
    aligner = Aligner(collection)
    best = best_of(
        min(3, samples.scale.repetitions),
        {
            "find": lambda: here(find),
            "align": lambda: here(lambda: aligner.align(texts)),
        },
    )
    rate = len(texts) / best["align"].cpu
    ratio = best["find"].cpu / best["align"].cpu
    return Line(
        f"align: texts {name}, speed of str.find", ratio, "x", gate, f"{rate:,.0f} texts/s", quiet(best)
    )


def _measure_memory(collection: TextCollection, text: str, size: int) -> Line:
    tracemalloc.start()
    damaged = f"{text[:50]}#{text[50:80]}@{text[90:]}"
    Aligner(collection).align([damaged, "elsewhere"])  # so that all is indexed, also by short sequences
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Line("align: peak memory per character", peak / size, "bytes", _BYTES)


def _write_documents(generator: random.Random, characters: int) -> dict[str, str]:
    words = ["".join(generator.choices(_LETTERS, k=generator.randint(2, 10))) for _ in range(20_000)]
    documents = {}
    for number in range(_DOCUMENTS):
        text = ""
        while len(text) < characters // _DOCUMENTS:
            text += " ".join(generator.choices(words, k=12)).capitalize() + ".\n"
        documents[f"doc{number}"] = text
    return documents


def _cut_texts(generator: random.Random, documents: list[str], count: int) -> list[str]:
    texts = []
    for _ in range(count):
        document, size = generator.choice(documents), generator.randint(*_SIZES)
        start = generator.randrange(max(1, len(document) - size))
        texts.append(document[start : start + size])
    return texts


def _add_noise(generator: random.Random, text: str, share: float) -> str:
    return "".join(
        generator.choice(_LETTERS) if generator.random() < share else character for character in text
    )
