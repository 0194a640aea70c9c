"""Every program in the folder ``examples`` runs and prints what it should; numbers are worked out by hand."""

import os
import shutil
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
    # recall (50/100 + 40/50)/2 and 1; precision of whole documents 100/1000 and 50/500
    "pyterrier_experiment.py": """\
     name   MAiP  char_rec@1
 passages 0.5272        0.65
documents 0.1000        1.00
""",
    # the first chunks have 20 of 41 and 33 of 33 gold characters, in 20 and 34 characters;
    # then all of the gold, in 57 and 49 characters
    "langchain_retriever.py": """\
30 characters char_rec@1 0.7439
30 characters char_prec@1 0.9853
60 characters char_rec@1 1.0000
60 characters char_prec@1 0.6964
""",
    # sentences end with their blank: 20 of 21 and 33 of 34 characters; then the manual of 107 characters
    "llamaindex_retriever.py": """\
sentences char_rec@1 0.7439
sentences char_prec@1 0.9615
large nodes char_rec@1 1.0000
large nodes char_prec@1 0.3458
""",
    # the table of docs/chunks-tutorial.md, which another test runs
    "chunk_sweep.py": """\
                        hit@5   char_rec@5  char_prec@5
characters:400         0.8462       0.2063       0.3297
paragraphs             0.8462       0.2298       0.4489
headings               0.8462       0.2872       0.3241
""",
}
NEEDS = {
    "chunk_sweep.py": "tantivy",
    "langchain_retriever.py": "langchain_text_splitters",
    "llamaindex_retriever.py": "llama_index.core",
    "provider.py": "ir_measures",
    "pyterrier_experiment.py": "pyterrier",
}


def run_example(name, folder):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    interpreter = ["bash"] if name.endswith(".sh") else [sys.executable, "-W", "ignore"]
    return subprocess.run(
        [*interpreter, str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.integration
def test_an_example_runs_and_prints_the_expected_output(name, demo_folder, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    shutil.copytree(demo_folder, tmp_path / "doxel-demo")
    done = run_example(name, tmp_path)
    assert done.stdout == PRINTED[name], done.stderr


@pytest.mark.integration
def test_the_gate_stores_a_baseline_and_fails_when_retrieval_is_worse(tmp_path):
    example = (EXAMPLES / "test_retrieval_gate.py").read_text("utf-8")
    copy = tmp_path / "test_retrieval_gate.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(copy)]

    def run_pytest(text, *options):
        copy.write_text(text, "utf-8")
        return subprocess.run([*command, *options], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert run_pytest(example, "--doxel-update").returncode == 0
    assert run_pytest(example).returncode == 0
    worse = run_pytest(example.replace("start + 60", "start + 55"))
    assert worse.returncode == 1
    assert "char_rec@5: the mean fell by 0.0625" in worse.stdout  # 60/80 - 55/80


@pytest.mark.integration
def test_the_campaign_ends_with_scores_and_a_report(tmp_path):
    done = run_example("small_campaign.sh", tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "small-campaign/campaign/report/index.html").read_text("utf-8")
    for run in ("bm25-focused", "tfidf-leaves", "windows-disjoint"):
        assert f"{run}\tall\tMAiP\t" in done.stdout
        assert run in page


def test_every_example_is_run():
    others = {"test_retrieval_gate.py", "small_campaign.sh"}
    assert {path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".sh"}} == {*PRINTED, *others}


def test_the_readme_of_the_examples_lists_them_all():
    page = (EXAMPLES / "README.md").read_text("utf-8")
    names = [path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".sh"}]
    assert [name for name in names if f"[{name}]({name})" not in page] == []


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
