"""``import doxel``: its public names, and no others."""

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


def test_the_lazy_names_are_exactly_the_public_names():
    assert {*doxel._HOMES, "__version__"} == set(doxel.__all__)


@pytest.mark.parametrize("name", doxel._HOMES)
def test_the_home_module_exports_the_name_too(name):
    home = importlib.import_module(doxel._HOMES[name])
    assert name in home.__all__
    assert getattr(home, name) is getattr(doxel, name)


def test_type_checkers_see_the_same_names_from_the_same_places():
    tree = ast.parse(Path(doxel.__file__).read_text())
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    homes = {
        alias.asname or alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert homes == doxel._HOMES


def test_an_unknown_name_raises_attribute_error():
    with pytest.raises(AttributeError, match="'doxel' has no attribute 'nothing'"):
        doxel.nothing  # noqa: B018


def test_the_package_is_marked_as_typed():
    assert Path(doxel.__file__).with_name("py.typed").is_file()
