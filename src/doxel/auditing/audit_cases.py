"""The random cases of an audit: gold passages and a run for one or two topics, small enough to read.

A case is the same for every scorer; the scorer writes it in its own format.  Its ``shape`` limits it to what
the format can express:

============  ==========================================================================
``spans``     passages of any length, which may overlap and touch
``documents`` whole documents, each once per topic
``elements``  paragraphs of XML articles
``articles``  whole XML articles, each once per topic
``points``    entry points: of a passage only its start counts
============  ==========================================================================

``picks`` are numbers that the laws use to choose what to change, so that one strategy serves all laws and
the search for the smallest counterexample makes these numbers small as well.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from doxel.errors import MissingExtraError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["OTHER_DOCUMENT", "SHAPES", "AuditCase", "Passage", "search_cases"]

SHAPES = ("spans", "documents", "elements", "articles", "points")
OTHER_DOCUMENT = "d9"
"""A document that random gold and runs never contain."""

_GOLD_DOCUMENTS = ("d1", "d2")  # few, so that gold passages often overlap
_DOCUMENTS = (*_GOLD_DOCUMENTS, "d3")
_MORE_DOCUMENTS = (*_DOCUMENTS, "d4", "d5", "d6")  # where each counts as a whole
_DEEPEST, _LONGEST = 11, 6  # the last start and the greatest length of a passage


class Passage(NamedTuple):
    """A half-open span of a document: gold or a result of a topic."""

    topic: str
    doc: str
    start: int
    end: int


@dataclass(frozen=True)
class AuditCase:
    """A small campaign: gold, results in the order of their ranks, and documents judged without gold."""

    gold: tuple[Passage, ...]
    results: tuple[Passage, ...]
    judged: tuple[tuple[str, str], ...] = ()  # topic and document
    picks: tuple[int, int, int] = (0, 0, 0)
    shape: str = "spans"
    shuffle: int = 0  # the order of the lines in files: as listed, or a random one for each other number

    @property
    def topics(self) -> list[str]:
        """The topics with gold."""
        return sorted({passage.topic for passage in self.gold})

    @property
    def size(self) -> tuple[int, ...]:
        """The size of the case, by which the smallest counterexample is chosen."""
        passages = (*self.gold, *self.results)
        lengths = sum(passage.end - passage.start for passage in passages)
        return len(passages), lengths, sum(passage.start for passage in passages), len(self.topics)

    def list_results(self, topic: str) -> list[Passage]:
        """Return the results of a topic in the order of their ranks."""
        return [result for result in self.results if result.topic == topic]

    def list_ranked_results(self) -> list[tuple[int, Passage]]:
        """Return all results with their ranks, in the order of the lines of a file."""
        ranked = [
            pair for topic in self._list_result_topics() for pair in enumerate(self.list_results(topic), 1)
        ]
        return self._order_lines(ranked)

    def list_gold(self) -> list[Passage]:
        """Return the gold in the order of the lines of a file."""
        return self._order_lines(self.gold)

    def list_topics(self) -> list[str]:
        """Return all topics of the case in the order of a file that groups its lines by topic."""
        return self._order_lines(sorted({*self.topics, *self._list_result_topics()}))

    def _list_result_topics(self) -> list[str]:
        return sorted({result.topic for result in self.results})

    def _order_lines(self, lines: Iterable[Any]) -> list[Any]:
        ordered = list(lines)
        if self.shuffle:
            Random(self.shuffle).shuffle(ordered)  # noqa: S311 -- it only has to be repeatable
        return ordered

    def answer_with(self, results: Iterable[Passage]) -> AuditCase:
        """Return the case with other results."""
        return replace(self, results=tuple(results))

    def find_relevant_stretches(self, topic: str) -> Iterator[Passage]:
        """Yield the relevant text of a topic: gold passages, merged where they share a character."""
        passages = sorted(passage for passage in self.gold if passage.topic == topic)
        for doc, group in groupby(passages, key=lambda passage: passage.doc):
            stretches: list[Passage] = []
            for passage in group:
                if stretches and passage.start < stretches[-1].end:
                    longest = max(stretches[-1].end, passage.end)
                    stretches[-1] = Passage(topic, doc, stretches[-1].start, longest)
                else:
                    stretches.append(passage)
            yield from stretches


def search_cases(
    shape: str, count: int, seed: int, visit: Callable[[AuditCase], bool | None]
) -> AuditCase | None:
    """Draw random cases until ``visit`` accepts one, and return the smallest accepted case found.

    At least ``count`` different cases are drawn, unless ``visit`` ends the search by returning None.  They
    and their order depend on shape, count and seed only.
    """
    try:
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.errors import NoSuchExample
    except ImportError as error:
        raise MissingExtraError("an audit", "audit") from error
    accepted: dict[AuditCase, bool] = {}

    def visit_once(case: AuditCase) -> bool:
        if case not in accepted:  # a scorer may answer differently the second time
            is_accepted = visit(case)
            if is_accepted is None:
                raise _SearchEnd
            accepted[case] = is_accepted
        return accepted[case]

    quiet = settings(
        max_examples=count + count // 3 + 10,  # some cases are drawn twice
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        with _keep_files_aside():
            find(_build_strategy(shape), visit_once, settings=quiet, random=Random(seed))  # noqa: S311
    except (NoSuchExample, _SearchEnd):
        pass
    matches = (case for case, is_accepted in accepted.items() if is_accepted)
    return min(matches, key=lambda case: case.size, default=None)


class _SearchEnd(BaseException):
    """Ends a search early; hypothesis would take an Exception for a match."""


@contextlib.contextmanager
def _keep_files_aside() -> Iterator[None]:
    """Let hypothesis write its files to a temporary folder instead of the working directory."""
    from hypothesis import configuration

    before = getattr(configuration, "__hypothesis_home_directory", None)
    with tempfile.TemporaryDirectory(prefix="doxel-audit-") as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)


def _build_strategy(shape: str) -> SearchStrategy[AuditCase]:
    """Return the strategy for cases of a shape; small numbers, ids and lists come first."""
    from hypothesis import strategies as st

    whole = shape in {"documents", "articles"}
    starts = st.just(0) if whole else st.integers(0, _DEEPEST)
    lengths = st.integers(1, _LONGEST) if shape in {"spans", "points"} else st.just(1)

    def list_passages(
        topic: str, documents: tuple[str, ...], fewest: int, most: int
    ) -> SearchStrategy[list[Passage]]:
        passages = st.builds(
            lambda doc, start, length: Passage(topic, doc, start, start + length),
            st.sampled_from(_MORE_DOCUMENTS if whole else documents),
            starts,
            lengths,
        )
        return st.lists(passages, min_size=fewest, max_size=most, unique=True)

    def build_case(topics: int) -> SearchStrategy[AuditCase]:
        names = [str(number + 1) for number in range(topics)]
        gold = st.tuples(*(list_passages(name, _GOLD_DOCUMENTS, 1, 4) for name in names))
        results = st.tuples(*(list_passages(name, _DOCUMENTS, 1, 5) for name in names))
        picks = st.tuples(*(st.integers(0, 20) for _ in range(3)))
        return st.builds(
            lambda gold, results, picks: AuditCase(
                tuple(passage for passages in gold for passage in passages),
                tuple(passage for passages in results for passage in passages),
                picks=picks,
                shape=shape,
            ),
            gold,
            results,
            picks,
        )

    with_one_topic, with_two_topics = build_case(1), build_case(2)  # once: building takes longer than drawing
    return st.integers(0, 3).flatmap(lambda number: with_two_topics if number == 3 else with_one_topic)
