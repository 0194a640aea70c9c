"""Every reader, given randomly corrupted files, succeeds or refuses in one sentence.

These tests are short; ``PYTHONPATH=tests python -m fuzz --seconds 600 runs`` searches for longer, and prints
every distinct fault once.  Inputs that revealed faults are in the tests of their rooms.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.holding import attempt
from fuzz.targets import TARGETS
from random_share import count_cases

# each of these writes a collection to disk or scores a run
SLOW = ("campaign", "collection", "documents", "measures", "runs", "assessments", "backup")


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", TARGETS)
def test_a_corrupted_file_is_read_or_refused(name):
    examples = count_cases(12 if name.startswith(SLOW) else 60)
    chances = st.randoms(use_true_random=False)

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(chances)
    def check(chance):
        attempt(TARGETS[name], chance)

    check()


@pytest.mark.parametrize("name", TARGETS)
def test_a_valid_file_is_read(name, tmp_path):
    """Otherwise the fuzzing would only test the first error."""
    target = TARGETS[name]
    folder = tmp_path / "here"
    for file, data in target.files().items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data)
    target.use(folder)
