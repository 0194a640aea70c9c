"""Functions of one's own, named by the file that holds them: ``FILE.py:NAME``."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from doxel.errors import InputError

__all__ = ["load_function", "name_of"]


def name_of(function: Callable[..., Any], what: str) -> str:
    """Return the name of a function, by which measures ask for it."""
    name = getattr(function, "__name__", None)
    if name is None:
        raise InputError(what, wanted="a function with a name", found=repr(function))
    return str(name)


def load_function(written: str, what: str, wanted: str) -> tuple[str, Callable[..., Any], str]:
    """Return name, function and full address of what ``FILE.py:NAME`` names."""
    file, colon, name = written.rpartition(":")
    path = Path(file)
    if not colon or not name.isidentifier():
        raise InputError(what, wanted="FILE.py:NAME", found=repr(written))
    if not path.is_file():
        raise InputError(f"the file of {what}", file=file, wanted="a Python file", found="no such file")
    spec = importlib.util.spec_from_file_location(f"doxel_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"the file of {what}", file=file, wanted="a Python file", found=path.suffix)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a user's file raises is the user's to mend, and is shown
        raise InputError(f"the file of {what} does not run", file=file, found=f"{error!r}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(what, file=file, wanted=wanted.replace("NAME", name), found="none")
    return name, function, f"{path.resolve()}:{name}"
