"""The bundled campaign, written once for the tests of studies."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def demo_runs(demo):
    """The runs of the studies, by name."""
    return {path.stem: str(path) for path in demo.runs}
