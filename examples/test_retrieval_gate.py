"""A gate in pytest: the build fails if retrieval became worse.

``pytest --doxel-update test_retrieval_gate.py`` stores the scores; ``pytest`` compares with them.
"""

import pytest

import doxel

QUESTIONS = [f"q{number}" for number in range(10)]
GOLD = [(question, "manual", 100 * number, 100 * number + 80) for number, question in enumerate(QUESTIONS)]


def retrieve(question):
    """Stand for your retriever: return chunks as document, start and end."""
    start = 100 * QUESTIONS.index(question)
    return [("manual", start, start + 60)]


@pytest.mark.doxel_gate("retrieval-baseline.json", max_drop=0.01)
def test_retrieval_is_not_worse(doxel_gate):
    """The mean recall of five chunks falls by at most 0.01."""
    run = doxel.run_retriever(retrieve, QUESTIONS)
    doxel_gate(doxel.evaluate(run, GOLD, "char_rec@5"))
