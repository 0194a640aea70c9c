"""Topics as objects and as a table."""

import pytest

import doxel.topics
from doxel.errors import InputError
from doxel.topics import Topic, Topics


def test_topics_are_found_by_id():
    topics = Topics.of([Topic("1", title="one")])
    assert len(topics) == 1
    assert topics["1"].title == "one"
    with pytest.raises(InputError, match="no such topic"):
        topics["2"]


def test_the_package_has_its_names_and_no_others():
    assert all(hasattr(doxel.topics, name) for name in doxel.topics.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Tropic'"):
        _ = doxel.topics.Tropic
