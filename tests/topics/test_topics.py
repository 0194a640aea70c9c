"""Topics as objects and as a table."""

import pytest

from doxel.errors import InputError
from doxel.topics import Topic, Topics


def test_topics_are_found_by_id():
    topics = Topics.of([Topic("1", title="one")])
    assert len(topics) == 1
    assert topics["1"].title == "one"
    with pytest.raises(InputError, match="no such topic"):
        topics["2"]
