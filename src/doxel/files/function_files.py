"""Functions that users write: load ``FILE.py:NAME``, call it, and send it to other processes.

Loading a file runs its code.  An exception in a custom function is reported with the line that raised it.
"""

from __future__ import annotations

import importlib
import importlib.util
import pickle
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from doxel.errors import DoxelError, InputError
from doxel.wording import quote_value

__all__ = [
    "call_function",
    "describe_home",
    "get_function_name",
    "import_object",
    "load_function",
    "pack_object",
]


def get_function_name(function: Callable[..., Any], label: str) -> str:
    """Return the name of a function, by which measures refer to it."""
    name = getattr(function, "__name__", None)
    if name is None or not callable(function):
        raise InputError(label, wanted="a function with a name", found=quote_value(function))
    return str(name)


def call_function(function: Callable[..., Any], label: str, *arguments: Any, **keywords: Any) -> Any:
    """Call a custom function; report an exception with the line that raised it."""
    try:
        return function(*arguments, **keywords)
    except DoxelError:
        raise
    except (Exception, SystemExit) as error:  # any exception is the author's to fix
        # skip the frame of this function; a call with wrong arguments has no other frame
        frames = traceback.extract_tb(error.__traceback__)[1:]
        home = getattr(getattr(function, "__code__", None), "co_filename", None)
        own_frames = [frame for frame in frames if frame.filename == home] or frames
        message = f"{type(error).__name__}: {error}"
        file, line = (own_frames[-1].filename, own_frames[-1].lineno) if own_frames else (home, None)
        raise InputError(f"{label} failed", file=file, line=line, found=message) from error


def load_function(
    address: str, label: str, wanted: str, is_usable: Callable[[Any], bool] = callable
) -> tuple[str, Callable[..., Any], str]:
    """Return the name, the function and the absolute address of ``FILE.py:NAME``; runs the file's code.

    ``is_usable`` checks the object with this name, which need not be a function.
    """
    file, colon, name = address.rpartition(":")
    path = Path(file)
    if not colon or not name.isidentifier():
        raise InputError(label, wanted="FILE.py:NAME", found=repr(address))
    if not path.is_file():
        raise InputError(f"the file of {label}", file=file, wanted="a Python file", found="no such file")
    spec = importlib.util.spec_from_file_location(f"doxel_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"the file of {label}", file=file, wanted="a Python file", found=path.suffix)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except DoxelError:  # such as a measure in the file that cannot be declared
        raise
    except (Exception, SystemExit) as error:  # any exception is the author's to fix
        raise InputError(f"the file of {label} does not run", file=file, found=f"{error!r}") from error
    function = getattr(module, name, None)
    if function is None or not is_usable(function):
        found = "no such function" if function is None else quote_value(function)
        raise InputError(label, file=file, wanted=wanted.replace("NAME", name), found=found)
    return name, function, f"{path.resolve()}:{name}"


def describe_home(function: Callable[..., Any]) -> tuple[str, str]:
    """Return the module of a function, and its name in this module."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return str(getattr(function, "__module__", None) or ""), str(name or "")


def import_object(module: str, name: str) -> Any:
    """Return an object by the name of its module and its name in it, such as ``Class.method``."""
    thing: Any = importlib.import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def pack_object(
    thing: Any, home: tuple[str, str], label: str, is_same: Callable[[Any], bool]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the function, with its arguments, that returns a custom object in another process.

    ``home`` is its module and its name in it; ``is_same`` recognises the object that has this name.  Objects
    of a module are imported.  Those of a notebook, or inside a function, are sent as code, for which the
    package cloudpickle is needed.
    """
    module, name = home
    if _can_be_imported(module, name, is_same):
        return import_object, (module, name)
    try:
        import cloudpickle
    except ImportError:
        raise InputError(
            f"{label} cannot be sent to other processes",
            wanted='a function in a Python file, cloudpickle (pip install "doxel[cluster]"), or jobs=1',
            found="a function in a notebook" if module == "__main__" else f"{name} in {module}",
        ) from None
    return pickle.loads, (cloudpickle.dumps(thing),)


def _can_be_imported(module: str, name: str, is_same: Callable[[Any], bool]) -> bool:
    """Return whether a new process that imports a module finds the object there."""
    loaded = sys.modules.get(module)
    if loaded is None or (module == "__main__" and not hasattr(loaded, "__file__")):
        return False  # a notebook, or a program from standard input
    try:
        return is_same(import_object(module, name))
    except (ImportError, AttributeError):
        return False
