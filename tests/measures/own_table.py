"""A table of measures without those that other tests have declared."""

import pytest

from doxel.measures import measure_table

__all__ = ["own_table"]


@pytest.fixture
def own_table(monkeypatch):
    """Let a test declare measures of its own, and forget them afterwards."""
    monkeypatch.setattr(measure_table, "_registered", {})
    _forget()
    yield
    monkeypatch.undo()
    _forget()


def _forget():
    measure_table.map_measures.cache_clear()
    measure_table.map_measures_for.cache_clear()
