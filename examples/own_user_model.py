"""A user model of your own: users who find everything in a document that they open.

The name of the function is accepted as ``model=`` in GR, EPRUM and PRUM.
"""

import numpy as np

import doxel


@doxel.user_model
def opens_document(results, targets):
    """Every target in the document of a result is found with probability 0.8."""
    return np.equal.outer(results["doc"].to_numpy(), targets["doc"].to_numpy()) * 0.8


if __name__ == "__main__":
    gold = [("1", "report", 100, 200), ("1", "report", 900, 950), ("1", "notes", 0, 50)]
    run = [("1", "report", 100, 200), ("1", "notes", 60, 90)]
    result = doxel.evaluate(run, gold, ["GR@2", "GR(model=opens_document)@2"])
    for measure, score in result.means.select("measure", "score").iter_rows():
        print(f"{measure} {score:.4f}")
