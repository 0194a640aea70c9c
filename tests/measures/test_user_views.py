"""The views of users: which results lead to targets, first discoveries, and topics with targets."""

import numpy as np
import pytest

from doxel.errors import MeasureError
from doxel.measures.user_views import Encounters, Entries, EntryDistances, Readings
from measures.arrays import each, rows


def encounters(entries, weight, topics, ranks, ideal=None, ideal_length=None):
    """Return a view from entries (topic, rank, target, chance) and the topic of each target."""
    columns = [np.array(column) for column in zip(*entries, strict=True)]
    levels = np.zeros((topics[-1] + 1, ranks), dtype=np.int64)
    length = np.full(topics[-1] + 1, ranks, dtype=np.int64)
    return Encounters(
        Entries(*columns), np.array(topics), each(*weight), levels, levels, length, ideal, ideal_length
    )


# targets 0 and 1 of topic 0, target 2 of topic 1
ENTRIES = [(0, 1, 0, 0.5), (0, 1, 1, 0.25), (0, 3, 0, 0.5), (1, 2, 2, 1.0)]
VIEW = encounters(ENTRIES, weight=[1, 3, 5], topics=[0, 0, 1], ranks=3)


def test_a_result_leads_somewhere_unless_it_misses_all_its_targets():
    assert VIEW.chance_by_rank.tolist() == [[1 - 0.5 * 0.75, 0, 0.5], [0, 1, 0]]


def test_a_target_is_discovered_only_by_the_first_result_that_reaches_it():
    # rank 3 discovers target 0 only if rank 1 missed it
    assert VIEW.discoveries.tolist() == [[0.5 + 0.25, 0, 0.5 * 0.5], [0, 1, 0]]
    weighted = VIEW.spread_discoveries(VIEW.entries.chance, VIEW.weight)
    assert weighted.tolist() == [[0.5 * 1 + 0.25 * 3, 0, 0.25], [0, 5, 0]]


def test_each_topic_has_its_own_targets():
    assert VIEW.total.tolist() == [4, 5]
    assert VIEW.first_target.tolist() == [0, 2, 3]
    topics = {
        topic: (discovery.target.tolist(), weights.tolist()) for topic, discovery, weights in VIEW.topics()
    }
    assert topics == {0: ([0, 1], [1, 3]), 1: ([0], [5])}  # numbered from 0 in each topic
    only_second = encounters(ENTRIES[3:], weight=[5], topics=[1], ranks=3)
    assert only_second.defined.tolist() == [False, True]
    assert [topic for topic, *_ in only_second.topics()] == [1]


def test_without_an_ideal_list_each_target_has_one_certain_entry():
    assert VIEW.ideal_discovery(0) is None
    ideal = Entries(np.array([0]), np.array([1]), np.array([0]), np.array([1.0]))
    view = encounters(ENTRIES, [1, 3, 5], [0, 0, 1], 3, ideal, np.array([1, 0]))
    assert view.ideal_discovery(0) is not None


RULES = {"construction": "path", "tie": "ancestor", "paths": "leaf"}


def test_p_and_exponents_belong_to_their_models():
    defaults = {**RULES, "p": 0.5, "exponents": "printed"}
    Encounters.check_parameters({**defaults, "model": "child(.2)+parent", "p": 0.25})
    Encounters.check_parameters({**defaults, "model": "inex2003", "exponents": "words"})
    with pytest.raises(MeasureError, match=r'p needs a model of near misses .* found model="identity"'):
        Encounters.check_parameters({**defaults, "model": "identity", "p": 0.25})
    with pytest.raises(MeasureError, match='exponents="words" needs model="inex2003", found model="child"'):
        Encounters.check_parameters({**defaults, "model": "child", "exponents": "words"})
    assert "the user model child does not surely reach" in Encounters.explain_gap({"model": "child"})


def test_topics_count_if_they_have_entry_points_or_passages():
    assert EntryDistances(rows([1], [1]), each(0, 2)).defined.tolist() == [False, True]
    levels = np.zeros((2, 1), dtype=np.int64)
    readings = Readings(rows([1], [1]), levels, levels, each(1, 1), each(0, 2))
    assert readings.defined.tolist() == [False, True]
    level = {quantity.symbol: quantity.compute(readings, {}) for quantity in readings.quantities}["level"]
    assert level.tolist() == [[1], [1]]  # counted from 1
