"""``import doxel``: the names that it promises, and no others."""

import ast
import importlib
from pathlib import Path

import pytest

import doxel


@pytest.mark.parametrize("name", doxel.__all__)
def test_every_promised_name_can_be_imported(name):
    assert getattr(doxel, name) is not None


def test_dir_shows_exactly_the_promised_names():
    assert dir(doxel) == sorted(doxel.__all__)
    assert len(set(doxel.__all__)) == len(doxel.__all__)


def test_every_lazy_name_is_promised_and_the_other_way_round():
    assert {*doxel._HOMES, "__version__"} == set(doxel.__all__)


@pytest.mark.parametrize("name", doxel._HOMES)
def test_a_home_promises_the_name_too(name):
    home = importlib.import_module(doxel._HOMES[name])
    assert name in home.__all__
    assert getattr(home, name) is getattr(doxel, name)


def test_type_checkers_see_the_same_names_from_the_same_places():
    tree = ast.parse(Path(doxel.__file__).read_text())
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname or alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == doxel._HOMES


def test_an_unknown_name_is_refused_as_python_does():
    with pytest.raises(AttributeError, match="'doxel' has no attribute 'nothing'"):
        doxel.nothing  # noqa: B018


def test_the_package_says_that_it_is_typed():
    assert Path(doxel.__file__).with_name("py.typed").is_file()
