"""Measures of your own, in a file.

As a program it scores two runs.  On the command line, the measures are named by this file::

    doxel evaluate -a GOLD -m 'own_measures.py:waste@5, own_measures.py:effort(share=0.8)' RUN
"""

import numpy as np

import doxel
from doxel.measures.text_views import ReadText


@doxel.measure(lower_is_better=True, formula="1 - new relevant characters / characters")
def waste(results, gold):
    """Share of the characters returned that are not relevant, or that an earlier result has shown."""
    del gold  # not needed: the counts of the results are enough
    return 1 - results.new_relevant.sum() / results.size.sum() if len(results) else 1.0


@doxel.measure(formula="1 / rank at which a share of the relevant text is reached")
def effort(view: ReadText, *, share: float = 0.5):
    """Reciprocal of the rank at which a share of the relevant text has been read; 0 if it never is."""
    ranks = (view.found < share * view.total[:, None]).sum(axis=1) + 1
    return np.where(ranks <= view.found.shape[1], 1 / ranks, 0.0)


if __name__ == "__main__":
    gold = [("1", "report", 100, 200), ("2", "notes", 0, 50)]
    runs = {
        "short": [("1", "report", 120, 180), ("1", "report", 180, 220), ("2", "notes", 0, 40)],
        "long": [("1", "report", 0, 300), ("1", "report", 100, 200), ("2", "notes", 500, 900)],
    }
    result = doxel.evaluate(runs, gold, ["waste", "waste@1", effort, "effort(share=0.7)"])
    for run, measure, score in result.means.select("run", "measure", "score").iter_rows():
        print(f"{run} {measure} {score:.4f}")
