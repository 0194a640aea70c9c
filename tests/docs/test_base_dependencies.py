"""The README's lines of Python run with nothing installed but what doxel itself requires.

A fresh interpreter refuses to import any distribution but doxel, its base requirements and theirs: the
libraries of extras are then missing, whatever this environment contains.
"""

import re
import subprocess
import sys
from importlib import metadata

import pytest
from pagemaker.examples import ROOT, Example, examples, matches

from random_share import take_some

BLOCKER = """
import sys
from importlib.abc import MetaPathFinder

class OnlyBase(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in {forbidden!r}:
            raise ModuleNotFoundError(f"No module named {{top!r}}: not a base dependency", name=top)

sys.meta_path.insert(0, OnlyBase())
"""


def requirements(distribution):
    """The distributions that a distribution requires without any extra."""
    lines = metadata.requires(distribution) or []
    return {re.match(r"[\w.-]+", line)[0] for line in lines if "extra ==" not in line}


def base():
    """doxel and all distributions that it requires without extras."""
    names, waiting = set(), ["doxel"]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in names:
            continue
        try:
            waiting += requirements(name)
        except metadata.PackageNotFoundError:
            continue  # for another system or version of Python
        names.add(name)
    return names


def forbidden():
    """The modules of all other distributions in this environment."""
    allowed = base()
    return {
        module
        for module, owners in metadata.packages_distributions().items()
        if not {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners} & allowed
    }


def run(code):
    blocked = BLOCKER.format(forbidden=sorted(forbidden())) + code
    return subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False)


def test_the_base_has_the_distributions_of_the_design():
    assert {"doxel", "numpy", "polars", "lxml", "click", "rich"} <= base()
    assert {"scipy", "matplotlib", "ir_measures", "tantivy", "starlette", "pandas"} <= forbidden()


@pytest.mark.parametrize(
    "module",
    take_some(["scipy", "matplotlib", "ir_measures", "tantivy", "starlette", "pandas", "pytest"], 2),
)
def test_the_blocker_blocks(module):
    process = run(f"import {module}")
    assert process.returncode == 1
    assert "not a base dependency" in process.stderr


def test_the_lines_of_the_readme_run():
    (example,) = (
        block
        for block in examples((ROOT / "README.md").read_text("utf-8"))
        if isinstance(block, Example) and block.kind == "python"
    )
    assert len([line for line in example.code.splitlines() if line.strip()]) == 5
    process = run(example.code)
    assert process.returncode == 0, process.stderr
    assert matches(example.shown, process.stdout), process.stdout


def test_the_documents_set_needs_no_extra():
    process = run(
        "import doxel\n"
        "result = doxel.evaluate([('q', 'd', 0, 5)], [('q', 'd', 0, 5)], 'documents')\n"
        "print(result.means['score'].to_list())\n"
    )
    assert process.stdout == "[1.0, 1.0, 0.1, 1.0, 1.0]\n", process.stderr


def test_the_figures_of_trec_eval_name_the_extra_they_need(tmp_path):
    (tmp_path / "gold").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 r\n")
    process = run(
        "import doxel\n"
        "try:\n"
        f"    doxel.evaluate({str(tmp_path / 'run')!r}, {str(tmp_path / 'gold')!r}, compat='trec_eval')\n"
        "except doxel.errors.MissingExtraError as error:\n"
        "    print(error)\n"
    )
    assert 'pip install "doxel[classic]"' in process.stdout, process.stderr
