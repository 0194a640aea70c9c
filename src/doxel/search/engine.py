"""The engine, tantivy: how its words are made, and what one of its indexes says about a word.

tantivy is imported when it is first needed.  Its BM25 has fixed constants, k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from doxel.errors import InputError, MissingExtraError
from doxel.spans import Floats, Ints

__all__ = [
    "ELEMENT",
    "STEMMERS",
    "TEXT",
    "Words",
    "engine",
    "idf",
    "new_index",
    "reopen",
    "term_hits",
]


STEMMERS = (
    "none",
    *("arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian", "italian"),
    *("norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "tamil", "turkish"),
)
"""The languages whose words are stemmed, and ``none``: words as they are."""

TEXT, ELEMENT = "text", "element"
_LONGEST = 64  # bytes of a word: what is longer is no word
_TOKENISER = "doxel"


def engine() -> Any:
    """Return tantivy, or say how to get it."""
    try:
        import tantivy
    except ImportError:
        raise MissingExtraError("searching", "search") from None
    if not hasattr(tantivy.Searcher, "fast_field_values"):
        raise InputError(
            'searching needs a newer tantivy: pip install --upgrade "doxel[search]"',
            wanted="one whose searchers have fast_field_values",
            found=str(getattr(tantivy, "__version__", "an older one")),
        )
    return tantivy


class Words:
    """Makes words of texts: in lower case, without accents, stemmed; and knows those that say nothing.

    Stop words are words like all others in the index, so that phrases may hold them.
    """

    def __init__(self, stem: str) -> None:
        if stem not in STEMMERS:
            raise InputError("stemming", wanted=f"one of {', '.join(STEMMERS)}", found=repr(stem))
        tantivy = engine()
        plain = _builder(tantivy)
        self.analyser = (plain if stem == "none" else plain.filter(tantivy.Filter.stemmer(stem))).build()
        language = "english" if stem == "none" else stem
        self._telling = _builder(tantivy).filter(tantivy.Filter.stopword(language)).build()

    def of(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        return list(self.analyser.analyze(text))

    def is_stop_word(self, text: str) -> bool:
        """Tell whether nothing is left of a text when stop words are taken out."""
        return not self._telling.analyze(text)


def _builder(tantivy: Any) -> Any:
    filters = tantivy.Filter
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for one in (filters.remove_long(_LONGEST), filters.lowercase(), filters.ascii_fold()):
        builder = builder.filter(one)
    return builder


def new_index(folder: Path, words: Words) -> Any:
    """Return a new index in an empty folder."""
    tantivy = engine()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TEXT, tokenizer_name=_TOKENISER, index_option="position")
    builder.add_unsigned_field(ELEMENT, fast=True)
    index = tantivy.Index(builder.build(), path=str(folder), reuse=False)
    index.register_tokenizer(_TOKENISER, words.analyser)
    return index


def reopen(folder: Path) -> Any:
    """Return a reader of an index that was made before, and its schema; ``ValueError`` if it cannot be."""
    tantivy = engine()
    try:
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")
        return index.searcher(), index.schema
    except (OSError, RuntimeError) as error:
        raise ValueError(str(error)) from error


def idf(documents: int, found: int) -> float:
    """Return the weight of a word that so many of so many documents of an index have, as tantivy does."""
    return math.log(1.0 + (documents - found + 0.5) / (found + 0.5))


def term_hits(searcher: Any, schema: Any, words: tuple[str, ...]) -> tuple[Ints, Floats]:
    """Return the elements that hold a word, or words as a phrase, and the BM25 of each.

    A single word or phrase is asked at a time: its score is one number that depends on nothing but the
    index, whereas the order in which an engine adds up the scores of several is its own affair.
    """
    query = engine().Query
    most = min(searcher.doc_freq(TEXT, word) for word in words)
    if not most:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    if len(words) == 1:
        asked = query.term_query(schema, TEXT, words[0])
    else:
        asked = query.phrase_query(schema, TEXT, list(words))
    hits = searcher.search(asked, limit=most, count=False).hits
    scores = np.fromiter((score for score, _ in hits), dtype=np.float64, count=len(hits))
    elements = searcher.fast_field_values(ELEMENT, [address for _, address in hits])
    return np.array(elements, dtype=np.int64), scores
