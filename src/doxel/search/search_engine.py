"""The search engine, tantivy: its word analysis, its indexes, and the scores of single words.

tantivy is imported when it is first needed.  Its BM25 has fixed constants, k1 = 1.2 and b = 0.75.

Elements of about the same size are on one shelf, an index of the engine.  BM25 then compares the length
of an element with elements of similar length: among surnames, a paragraph would look very long, and an
article even longer.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from doxel.errors import InputError, MissingExtraError
from doxel.spans import Floats, Ints

__all__ = [
    "ELEMENT_FIELD",
    "SHELVES",
    "STEMMERS",
    "TEXT_FIELD",
    "Shelf",
    "WordStemmer",
    "compute_idf",
    "create_engine_index",
    "find_hits",
    "find_shelf",
    "import_engine",
    "open_engine_index",
]

STEMMERS = (
    "none",
    *("arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian", "italian"),
    *("norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "tamil", "turkish"),
)
"""The languages of the stemmers, and ``none`` for words without stemming."""

TEXT_FIELD, ELEMENT_FIELD = "text", "element"
_LONGEST = 64  # bytes of the longest word; longer ones are not indexed
_TOKENISER = "doxel"


def import_engine() -> Any:
    """Return the module tantivy; if it is missing, the error names the package to install."""
    try:
        import tantivy
    except ImportError:
        raise MissingExtraError("searching", "search") from None
    if not hasattr(tantivy.Searcher, "fast_field_values"):
        raise InputError(
            'searching needs a newer tantivy: pip install --upgrade "doxel[search]"',
            wanted="a version whose searchers have fast_field_values",
            found=str(getattr(tantivy, "__version__", "an older version")),
        )
    return tantivy


class WordStemmer:
    """Splits texts into words: in lower case, without accents, stemmed; and recognises stop words.

    Stop words are indexed like all other words, so that phrases may contain them.
    """

    def __init__(self, stem: str) -> None:
        if stem not in STEMMERS:
            raise InputError("stemming", wanted=f"one of {', '.join(STEMMERS)}", found=repr(stem))
        tantivy = import_engine()
        plain = _start_analyser(tantivy)
        self.analyser = (plain if stem == "none" else plain.filter(tantivy.Filter.stemmer(stem))).build()
        language = "english" if stem == "none" else stem
        self._without_stop_words = _start_analyser(tantivy).filter(tantivy.Filter.stopword(language)).build()

    def of(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        return list(self.analyser.analyze(text))

    def is_stop_word(self, text: str) -> bool:
        """Check whether a text has only stop words."""
        return not self._without_stop_words.analyze(text)


def _start_analyser(tantivy: Any) -> Any:
    filters = tantivy.Filter
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for token_filter in (filters.remove_long(_LONGEST), filters.lowercase(), filters.ascii_fold()):
        builder = builder.filter(token_filter)
    return builder


def create_engine_index(folder: Path, words: WordStemmer) -> Any:
    """Return a new index in an empty folder."""
    tantivy = import_engine()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TEXT_FIELD, tokenizer_name=_TOKENISER, index_option="position")
    builder.add_unsigned_field(ELEMENT_FIELD, fast=True)
    index = tantivy.Index(builder.build(), path=str(folder), reuse=False)
    index.register_tokenizer(_TOKENISER, words.analyser)
    return index


def open_engine_index(folder: Path) -> Any:
    """Open an existing index; return its searcher and schema, or raise ``ValueError``."""
    tantivy = import_engine()
    try:
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")
        return index.searcher(), index.schema
    except (OSError, RuntimeError) as error:
        raise ValueError(str(error)) from error


def compute_idf(documents: int, matches: int) -> float:
    """Return the weight of a word in ``matches`` of ``documents`` documents, with tantivy's formula."""
    return math.log(1.0 + (documents - matches + 0.5) / (matches + 0.5))


def find_hits(searcher: Any, schema: Any, words: tuple[str, ...]) -> tuple[Ints, Floats]:
    """Return the elements that contain a word, or words as a phrase, and their BM25 scores.

    Each query is a single word or phrase: its score depends only on the index.  The engine adds up the
    scores of several words in an order that is not specified.
    """
    query_type = import_engine().Query
    limit = min(searcher.doc_freq(TEXT_FIELD, word) for word in words)
    if not limit:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    if len(words) == 1:
        query = query_type.term_query(schema, TEXT_FIELD, words[0])
    else:
        query = query_type.phrase_query(schema, TEXT_FIELD, list(words))
    hits = searcher.search(query, limit=limit, count=False).hits
    scores = np.fromiter((score for score, _ in hits), dtype=np.float64, count=len(hits))
    elements = searcher.fast_field_values(ELEMENT_FIELD, [address for _, address in hits])
    return np.array(elements, dtype=np.int64), scores


@dataclass(frozen=True)
class Shelf:
    """Elements of ``smallest`` to ``largest`` (exclusive) characters."""

    name: str
    smallest: int
    largest: int


_SIZES = (1, 50, 400, 3_200, 25_600, 2**62)
SHELVES = tuple(Shelf(f"shelf-{number}", *sizes) for number, sizes in enumerate(pairwise(_SIZES), 1))


def find_shelf(size: int) -> Shelf:
    """Return the shelf for elements of a size of at least one character.

    >>> find_shelf(49).name, find_shelf(50).name
    ('shelf-1', 'shelf-2')
    """
    return SHELVES[bisect_right(_SIZES, size) - 1]
