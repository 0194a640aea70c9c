"""Cases that every client of the server must meet as well, in the files of the folder ``vectors``."""

import json
from pathlib import Path

import pytest

__all__ = ["read_vectors", "vectors"]

_FOLDER = Path(__file__).with_name("vectors")


def read_vectors(name):
    """Return the content of a file."""
    return json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))


def vectors(name):
    """Return the cases of a file, as parameters of a test."""
    return [pytest.param(case, id=case["name"]) for case in read_vectors(name)["cases"]]
