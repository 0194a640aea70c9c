"""Flipped bits in a collection: the same scores or an error, never other scores."""

import pytest
from tools.bit_flips import FlippedCollection, flip_bits

from random_share import count_cases


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    return FlippedCollection(tmp_path_factory.mktemp("flips"))


@pytest.mark.integration
def test_a_flipped_bit_never_changes_scores_silently(collection):
    """A sample; ``python -m tools.bit_flips`` tries 500."""
    flips = list(flip_bits(collection, count_cases(80), seed=7))
    assert [flip for flip in flips if flip.outcome not in ("same", "error")] == []
    files = {flip.file.split("/")[0].split("-")[0] for flip in flips if flip.outcome == "error"}
    assert files >= {"part"}  # the tables are detected, a search index is built again


def test_every_kind_of_file_is_flipped(collection):
    kinds = {path.relative_to(collection.folder).parts[0].split("-")[0] for path in collection.list_files()}
    assert kinds == {"manifest.json", "part", "search"}


def test_a_change_of_scores_would_be_detected(collection, monkeypatch):
    monkeypatch.setattr("doxel.documents.parts.find_damage", lambda *_: None)
    monkeypatch.setattr("doxel.documents.parts.find_damaged_end", lambda *_: None)
    path = collection.folder / "part-0001" / "elements.parquet"
    places = range(100, path.stat().st_size, 300)
    assert any(collection.flip(path, place, 0).outcome == "changed" for place in places)
