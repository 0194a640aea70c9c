"""Every reader, with valid files made wrong at random: it succeeds, or refuses in one sentence.

Here for a moment; ``PYTHONPATH=tests python -m fuzz --seconds 600 runs`` looks for longer, and prints every
distinct fault once.  What was found is pinned, input by input, in the tests of the rooms.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.holding import attempt
from fuzz.targets import TARGETS

# a collection is laid out on disk for each of them, or a run is scored
SLOW = ("campaign", "collection", "documents", "measures", "runs", "assessments", "backup")


@pytest.mark.parametrize("name", TARGETS)
def test_a_file_that_is_wrong_is_read_or_refused(name):
    examples = 12 if name.startswith(SLOW) else 60
    chances = st.randoms(use_true_random=False)

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(chances)
    def check(chance):
        attempt(TARGETS[name], chance)

    check()


@pytest.mark.parametrize("name", TARGETS)
def test_a_file_that_is_right_is_read(name, tmp_path):
    """Else nothing would be tested beyond the first refusal."""
    target = TARGETS[name]
    folder = tmp_path / "here"
    for file, data in target.files().items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data)
    target.use(folder)
