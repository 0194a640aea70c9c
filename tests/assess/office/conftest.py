"""Judgements of topic 1 to export, import and compare."""

import pytest

from assess.saying import say


@pytest.fixture
def judged(campaign, library):
    """Topic 1, judged by anna: one relevant document, one not."""
    say(
        campaign,
        library,
        1,
        ("apples", "highlight", {"spans": [[6, 26], [30, 40]]}),
        ("apples", "bep", {"position": 10}),
        ("apples", "validate", {}),
        ("pears", "validate", {}),
    )
    return campaign


@pytest.fixture
def named(judged, library):
    """Topic 1 with a passage of two aspects, and a name that no passage holds."""
    say(
        judged,
        library,
        1,
        ("apples", "aspect", {"place": "7", "aspect": "colour"}),
        ("apples", "aspect", {"place": "6", "aspect": "taste"}),
        ("apples", "aspect", {"place": "28", "aspect": "nowhere"}),
        ("apples", "validate", {}),
    )
    return judged
