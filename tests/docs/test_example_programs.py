"""Every program in the folder ``examples`` runs and prints what it should; numbers are worked out by hand."""

import subprocess
import sys
from pathlib import Path

import pytest

from documents.commands import doxel, write_files

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# of 100 and 40 characters, 80 and 40 are new and relevant; of 400 and 400, 100 and 0
PRINTED = {
    "own_measures.py": """\
short waste 0.1000
short waste@1 0.0000
short effort 1.0000
short effort(share=0.7) 0.7500
long waste 0.8750
long waste@1 0.8333
long effort 0.5000
long effort(share=0.7) 0.5000
""",
    # one of three targets is met; all of them are found with probability 0.8
    "own_user_model.py": """\
GR@2 0.3333
GR(model="opens_document")@2 0.8000
""",
    # recall 50/100 and 40/50, mean 0.65
    "provider.py": """\
MAiP 0.5272
RR 1.0000
char_rec@5 0.6500
nxCG@10 0.7500
""",
}


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_an_example_runs_and_prints_what_it_should(name):
    if name == "provider.py":
        pytest.importorskip("ir_measures")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(EXAMPLES / name)], capture_output=True, text=True, check=False
    )
    assert done.stdout == PRINTED[name], done.stderr


def test_the_readme_of_the_examples_lists_them_all():
    page = (EXAMPLES / "README.md").read_text("utf-8")
    assert [path.name for path in EXAMPLES.glob("*.py") if f"[{path.name}]({path.name})" not in page] == []


def test_the_measures_of_an_example_work_on_the_command_line(tmp_path):
    files = {
        "gold.jsonl": '{"topic": "1", "doc": "a", "start": 0, "end": 100}\n',
        "a.jsonl": '{"topic": "1", "doc": "a", "start": 50, "end": 150}\n',
    }
    write_files(tmp_path, files)
    measures = f"{EXAMPLES / 'own_measures.py'}:waste, {EXAMPLES / 'own_measures.py'}:effort(share=0.6)"
    outcome = doxel(
        "evaluate", "-a", tmp_path / "gold.jsonl", "-m", measures, "-f", "tsv", tmp_path / "a.jsonl"
    )
    assert outcome.status == 0, outcome.err
    assert outcome.out.splitlines()[1:] == ["a\tall\twaste\t0.5", "a\tall\teffort(share=0.6)\t0.0"]
