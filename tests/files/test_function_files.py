"""Functions of users: loaded from files, called, and sent to other processes."""

import pickle
import subprocess
import sys
import types

import pytest

from doxel.errors import InputError
from doxel.files.function_files import (
    call_function,
    describe_home,
    import_object,
    load_function,
    pack_object,
)


def add(first, second=0):
    return first + second


class Owner:
    @staticmethod
    def method():
        return 7


def test_keywords_reach_the_function_and_its_exception_names_the_line():
    assert call_function(add, "f", 1, second=2) == 3
    with pytest.raises(
        InputError, match=r"test_function_files.py, line \d+: f failed: found TypeError"
    ) as error:
        call_function(add, "f", 1, second="x")
    assert error.value.line == add.__code__.co_firstlineno + 1


def test_a_function_is_loaded_with_its_absolute_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def f():\n    return 5\n")
    name, function, address = load_function("mine.py:f", "a thing", "a function NAME()")
    assert (name, function(), address) == ("f", 5, f"{tmp_path / 'mine.py'}:f")


def test_an_object_of_a_module_is_imported_by_its_name():
    home = describe_home(Owner.method)
    assert import_object(__name__, "Owner.method")() == 7
    load, arguments = pack_object(Owner.method, home, "f", lambda other: other is Owner.method)
    assert load is import_object
    assert arguments == (__name__, "Owner.method")


def test_a_function_inside_another_is_sent_as_code():
    pytest.importorskip("cloudpickle")
    step = 3

    def inner(value):
        return value + step

    load, arguments = pack_object(inner, describe_home(inner), "f", lambda other: other is inner)
    load, arguments = pickle.loads(pickle.dumps((load, arguments)))  # noqa: S301 -- our own
    assert load(*arguments)(1) == 4


def test_without_cloudpickle_a_function_of_a_notebook_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    notebook = types.ModuleType("__main__")
    notebook.f = add
    monkeypatch.setitem(sys.modules, "__main__", notebook)
    with pytest.raises(InputError) as error:
        pack_object(add, ("__main__", "f"), "measure 'f'", lambda other: other is add)
    assert str(error.value) == (
        "measure 'f' cannot be sent to other processes: wanted a function in a Python file, cloudpickle "
        '(pip install "doxel[cluster]"), or jobs=1, found a function in a notebook'
    )
    notebook.__file__ = "script.py"  # a program: a new process runs it again
    assert pack_object(add, ("__main__", "f"), "f", lambda other: other is add)[0] is import_object


def test_another_object_of_the_same_name_is_not_imported(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(InputError, match="found add in"):
        pack_object(len, (__name__, "add"), "f", lambda other: other is len)


def test_loading_function_files_imports_no_optional_library():
    code = "import sys, doxel.files.function_files; print('cloudpickle' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "False\n"
