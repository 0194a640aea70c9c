"""What every adapter declares."""

import dataclasses

import pytest

from doxel.adapters.adapter_declaration import ChunkAdapter, ListAdapter, TableAdapter
from doxel.adapters.adapter_table import list_adapters
from doxel.adapters.chunk_objects import CHUNK_ADAPTERS
from doxel.adapters.question_results import LIST_ADAPTERS
from doxel.adapters.result_tables import TABLE_ADAPTERS


def test_each_table_has_adapters_of_its_kind():
    for kind, adapters in (
        (ChunkAdapter, CHUNK_ADAPTERS),
        (ListAdapter, LIST_ADAPTERS),
        (TableAdapter, TABLE_ADAPTERS),
    ):
        assert adapters
        assert {type(adapter) for adapter in adapters} == {kind}


def test_names_are_unique_and_shapes_are_described():
    names = [name for _, name, _ in list_adapters()]
    assert len(set(names)) == len(names)
    assert all(shape for _, _, shape in list_adapters())


@pytest.mark.parametrize("value", [None, 5, object(), b"bytes", {"a": object()}])
def test_nothing_else_is_recognised(value):
    is_mapping = isinstance(value, dict)  # any mapping may be a chunk
    assert [a.name for a in CHUNK_ADAPTERS if a.recognises(value)] == (["dicts"] if is_mapping else [])
    assert [a.name for a in (*LIST_ADAPTERS, *TABLE_ADAPTERS) if a.recognises(value)] == []


def test_an_adapter_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        CHUNK_ADAPTERS[0].name = "other"
