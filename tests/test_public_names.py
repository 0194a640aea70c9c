"""``import doxel``: the public names, and no others."""

import ast
import importlib
from pathlib import Path

import pytest

import doxel


@pytest.mark.parametrize("name", doxel.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(doxel, name) is not None


def test_dir_lists_exactly_the_public_names():
    assert dir(doxel) == sorted(doxel.__all__)
    assert len(set(doxel.__all__)) == len(doxel.__all__)


@pytest.mark.parametrize("name", doxel._HOMES)
def test_the_module_of_a_name_exports_it(name):
    home = importlib.import_module(doxel._HOMES[name])
    assert name in home.__all__
    assert getattr(home, name) is getattr(doxel, name)


def test_type_checkers_see_the_same_names_from_the_same_places():
    tree = ast.parse(Path(doxel.__file__).read_text())
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [(alias, node.module) for node in guarded.body for alias in node.names]
    assert all(alias.asname == alias.name for alias, _ in imports)  # else the name is not public to them
    assert {alias.name: module for alias, module in imports} == doxel._HOMES


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'doxel' has no attribute 'nothing'"):
        doxel.nothing  # noqa: B018


def test_the_package_is_marked_as_typed():
    assert Path(doxel.__file__).with_name("py.typed").is_file()
