"""Pictures of curves, for tests of the modules that draw them."""

import numpy as np

from doxel.reports.picture_data import Picture, PictureLine

X = np.arange(1, 101) / 100


def picture(*names: str, ranks: bool = False) -> Picture:
    x = np.arange(0.0, 50) if ranks else X
    lines = [
        PictureLine(
            name, x, np.linspace(0.8, 0.1, len(x)) / n, np.zeros(len(x)), np.linspace(0.9, 0.2, len(x))
        )
        for n, name in enumerate(names, 1)
    ]
    return Picture("ep/gr", "mean of 9 topics", "gain-recall", "effort-precision", ranks, tuple(lines))
