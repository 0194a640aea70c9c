"""Gains and recall bases of all topics, computed once and shared by all runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.assessments.judged_pairs import JudgedPairs
from doxel.assessments.listed_documents import ListedDocuments
from doxel.documents import Collection
from doxel.errors import InputError, MeasureError
from doxel.evaluation.inputs.custom_functions import OwnModel
from doxel.evaluation.inputs.token_counts import WORDS, TokenIndex, Tokeniser, WordCounts
from doxel.quantisation import Quantisation, find_quantisation
from doxel.recallbases import ElementBase, build_element_base, choose_ideal
from doxel.recallbases.element_base import parse_excluded_tags
from doxel.spans import Booleans, Floats, Ints, sum_by_group

if TYPE_CHECKING:
    from doxel.topics.query_structure import Constraints

__all__ = ["RecallBases"]

Array = TypeVar("Array")


class RecallBases:
    """Elements, gains and ideal recall bases, built when a measure first needs them."""

    def __init__(
        self,
        assessments: Assessments,
        assessed: JudgedPairs,
        collection: Collection | None,
        models: Mapping[str, OwnModel] | None = None,
        *,
        chunks: pl.DataFrame | None = None,
        tokenisers: Mapping[str, Tokeniser] | None = None,
        constraints: Constraints | None = None,
    ) -> None:
        self._assessments, self._assessed, self._collection = assessments, assessed, collection
        self.models = dict(models or {})
        self._chunks = chunks
        self._tokenisers = dict(tokenisers or {})
        self._constraints = constraints
        self._known: dict[Any, Any] = {}

    @property
    def scale(self) -> str:
        """The scale of the assessments."""
        return self._assessments.scale

    @property
    def has_only_grades(self) -> bool:
        """Whether elements were graded without highlights, as in 2002 to 2004."""
        return self.scale in {"2002", "2003"} and not self._assessments.highlights.height

    @property
    def format(self) -> str | None:
        """The format that the assessments were read from."""
        return self._assessments.format

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self._assessed.topics)

    @cached_property
    def elements(self) -> ElementBase:
        """The elements of all judged pairs with relevant text."""
        if self._collection is None:
            raise InputError(
                "element measures need the elements of the judged documents",
                wanted="a collection (-c), or assessments that list elements with their sizes",
                found="neither",
            )
        return build_element_base(self._assessments, self._assessed, self._collection, self._constraints)

    @property
    def has_elements(self) -> bool:
        """Whether any document has elements; without elements, gains are computed from bare spans."""
        if self._collection is None:
            return False
        return bool(self._collection.documents["elements"].sum() > 0)

    @property
    def has_chunks(self) -> bool:
        """Whether all chunks of a chunking were given: its reference choices need no run."""
        return self._chunks is not None

    @property
    def chunks(self) -> pl.DataFrame:
        """All chunks of a chunking: doc, start, end."""
        if self._chunks is None:
            raise InputError(
                "omega and greedy need all chunks of the chunking",
                wanted="chunks= (on the command line --chunks)",
                found="none",
            )
        return self._chunks

    def tokens(self, name: str) -> TokenIndex:
        """Return the positions of tokens, as found by the named tokeniser."""
        if name != WORDS and name not in self._tokenisers:
            available = ", ".join([WORDS, *self._tokenisers])
            raise MeasureError(
                f"unknown tokeniser {name!r}; available: {available} "
                "(add others with tokenisers= or --tokeniser)"
            )
        documents = self._documents("counting tokens")
        return self.once(("tokens", name), lambda: TokenIndex(documents, self._tokenisers.get(name)))

    @property
    def has_sizes(self) -> bool:
        """Whether the sizes of elements are known."""
        return not isinstance(self._collection, ListedDocuments) or self._collection.has_sizes

    def require_sizes(self, feature: str) -> None:
        """Raise an error if the sizes of elements are unknown; ``feature`` is the feature that needs them."""
        if not self.has_sizes:
            raise InputError(
                f"{feature} needs the sizes of elements",
                wanted="a collection (-c): these assessments list elements without sizes",
            )

    @cached_property
    def words(self) -> WordCounts:
        """The words of the documents with relevant text."""
        documents = self._documents("a user model that counts words")
        numbers = documents.numbers(self._assessed.pairs["doc"])[self.elements.pair]
        return WordCounts(self.elements, documents, numbers)

    @cached_property
    def paths(self) -> pl.Series:
        """The paths of all elements."""
        return self.elements.forest.paths()

    def mean_length(self, declared_length: float | None) -> float:
        """Return the mean length of a document: ``written`` if given, else that of the collection."""
        if declared_length is not None:
            return declared_length
        characters = self._documents("the mean document length (unless L= is given)").documents["characters"]
        return float(characters.sum()) / len(characters)

    def steady(self, summary: str) -> Floats:
        """Return the steady-state probability of each label path's group."""
        return self.once(("steady", summary), lambda: self._steady(summary))

    def _steady(self, summary: str) -> Floats:
        documents = self._documents("structural relevance")
        relatives = documents.label_relatives()
        labels = documents.all_labels()
        group = labels.path_ids if summary == "path" else labels.name_ids
        totals = sum_by_group(group, relatives, int(group.max(initial=-1)) + 1)
        probabilities: Floats = (totals / totals.sum())[group]
        return probabilities

    def _documents(self, feature: str) -> Collection:
        if self._collection is None or isinstance(self._collection, ListedDocuments):
            raise InputError(f"{feature} needs the documents", wanted="a collection (-c)", found="none")
        return self._collection

    def quantisation(self, name: str) -> Quantisation:
        """Return the quantisation with this name on the scale of the assessments."""
        return find_quantisation(name, self.scale)

    def gains(self, quant: str, exclude_tags: str | None) -> Floats:
        """Return the gain q of each element."""
        return self.once(
            ("gains", quant, exclude_tags),
            lambda: self.elements.gains(self.quantisation(quant), parse_excluded_tags(exclude_tags)),
        )

    def excluded(self, exclude_tags: str | None) -> Booleans:
        """Mark the excluded elements."""
        return self.once(
            ("excluded", exclude_tags), lambda: self.elements.excluded(parse_excluded_tags(exclude_tags))
        )

    def ideal(
        self, quant: str, exclude_tags: str | None, *, construction: str, tie: str, paths: str
    ) -> Booleans:
        """Mark the ideal elements."""
        rules = {"construction": construction, "tie": tie, "paths": paths}
        return self.once(
            ("ideal", quant, exclude_tags, *rules.values()),
            lambda: choose_ideal(self.gains(quant, exclude_tags), self.elements.tree, **rules),
        )

    def relevance(self, quant: str, exclude_tags: str | None, **ideal: str) -> tuple[Floats, Floats]:
        """Return the relevance of each element as a probability, and its total for each topic.

        ``ideal`` are the rules of the ideal recall base, if only its elements count.
        """

        def compute() -> tuple[Floats, Floats]:
            q, highest = self.gains(quant, exclude_tags), self.quantisation(quant).highest
            q = q if highest == 1 else q / highest
            q = np.where(self.ideal(quant, exclude_tags, **ideal), q, 0.0) if ideal else q
            return q, self.total(q)

        return self.once(("relevance", quant, exclude_tags, *sorted(ideal.items())), compute)

    def total(self, q: Floats) -> Floats:
        """Return the total gain of each topic over all elements."""
        rows = np.flatnonzero(q)
        return sum_by_group(self.elements.find_topics(rows), q[rows], self.topics)

    def vectors(self, key: tuple[Any, ...], q: Floats, rows: Booleans | None = None) -> Floats:
        """Return the gains of the marked elements, or of all, one row per topic, in descending order."""

        def compute() -> Floats:
            is_gaining = q > 0
            return self._sorted(q, np.flatnonzero(is_gaining if rows is None else rows & is_gaining))

        return self.once(("vectors", *key), compute)

    def _sorted(self, q: Floats, rows: Ints) -> Floats:
        topic = self.elements.find_topics(rows)
        order = np.lexsort((-q[rows], topic))
        topic, values = topic[order], q[rows][order]
        position = np.arange(len(topic)) - np.searchsorted(topic, topic)
        padded = np.zeros((self.topics, int(position.max(initial=-1)) + 1))
        padded[topic, position] = values
        return padded

    def once(self, key: Any, compute: Callable[[], Array]) -> Array:
        """Return the value cached under a key; compute it on first use."""
        if key not in self._known:
            self._known[key] = compute()
        value: Array = self._known[key]
        return value

    def __getstate__(self) -> dict[str, Any]:
        """Leave the cache out of the pickle: another process computes the values again."""
        names = (
            "_assessments",
            "_assessed",
            "_collection",
            "models",
            "_chunks",
            "_tokenisers",
            "_constraints",
        )
        return {**{name: self.__dict__[name] for name in names}, "_known": {}}
