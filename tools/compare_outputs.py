"""Compare every output of this checkout with that of another one, bit for bit.

``python -m tools.compare_outputs OTHER`` runs the same commands with the package of this checkout and with
that of ``OTHER`` (a git revision, or a folder with ``src/doxel``), each in a folder of its own: the demo, and
the inputs of the benchmarks.  Both packages are copied first, so that work on the checkout may go on.  Exit
codes, scores, tables, runs, assessments, pools and collections must be the same.  Sentences may differ:
standard error, the prose of HTML pages, and the fields with messages are not compared.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
from benchmarks.samples import QUICK, Samples

__all__ = ["main"]

_HERE = Path(__file__).resolve().parents[1]
_DEMO = "doxel-demo"
_COLLECTION = f"{_DEMO}/handbook.doxel"
_JUDGED = f"{_DEMO}/assessments"
# fields and columns that hold sentences, times or versions
_SENTENCES = {
    *("warnings", "notes", "message", "title", "about", "test"),
    *("version", "versions", "created", "seconds"),
}
_MEASURES = {
    "handbook.qrels": [
        *(
            "inex2009-focused",
            "inex2009-thorough",
            "inex2010-relevant-in-context",
            "inex2006-best-in-context",
        ),
        *("chunks", "nxCG(quant=spec)@5,10", "HiXEval_F@10", "T2I@10", "overlap@10"),
    ],
    "handbook.jsonl": ["chunks", "char_rec@1,3,5,10", "token_iou@5", "span_RR"],
    "inex2005": ["inex2005-thorough", "inex2005-focused", "nxCG@10", "PRUM", "EPRUM", "GR@10"],
    "inex2002.xml": ["inex2002"],
}


def main(arguments: list[str] | None = None) -> int:
    """Run all commands on both sides and print what differs; the status is 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m tools.compare_outputs", description=__doc__)
    parser.add_argument("other", help="a git revision, or another checkout of doxel")
    options = parser.parse_args(arguments)
    samples = Samples(_HERE / "benchmarks" / "data", QUICK, say=lambda _: None)
    inputs = {
        "FOL": samples.bare_campaign(),
        "TREC": samples.document_campaign(),
        "CHUNKS": samples.chunks(),
        "ELEMENTS": samples.element_campaign(),
        "SOURCES": samples.sources(),
        "BENCH": samples.collection(),
    }
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        folders = [Path(scratch, side) for side in ("other", "this")]
        sources = [
            _copy_package(source, Path(scratch, f"src-{name}"))
            for source, name in ((options.other, "other"), (str(_HERE), "this"))
        ]
        other, this = pool.map(_outputs, folders, sources, [inputs, inputs])
    differing = [name for name in {**other, **this} if other.get(name) != this.get(name)]
    for name in differing:
        print(f"DIFFERS {name}: {_shorten(other.get(name))} against {_shorten(this.get(name))}")
    commands = sum(name.startswith("$") for name in this)
    for name, output in this.items():
        if name.startswith("$") and output[0] not in {0, 1}:
            print(f"exit {output[0]}: {name}")
    print(f"{commands} commands, {len(this) - commands} files: {len(differing)} differ")
    return int(bool(differing))


def _copy_package(source: str, folder: Path) -> Path:
    """Copy the package of a checkout or of a git revision, compiled; return the folder to import it from."""
    if Path(source).is_dir():
        shutil.copytree(Path(source, "src"), folder / "src")
    else:
        archive = ["git", "-C", str(_HERE), "archive", source, "src"]
        content = subprocess.run(archive, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(content)) as files:
            files.extractall(folder, filter="data")
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder / "src")], check=True)
    return folder / "src"


def _outputs(folder: Path, source: Path, inputs: dict[str, Path]) -> dict[str, Any]:
    """Return exit code and output of each command, then a digest of each file they wrote."""
    folder.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200", "PYTHONHASHSEED": "0"}
    outputs: dict[str, Any] = {}
    for command in chain(
        [["demo"]], _commands(folder, sorted(path.name for path in (inputs["FOL"] / "fol").iterdir()))
    ):
        placed = [_place(word, inputs) for word in command]
        process = subprocess.run(
            [sys.executable, "-m", "doxel", *placed],
            cwd=folder,
            env=environment,
            capture_output=True,
            check=False,
        )
        print(f"{folder.name}: {' '.join(command)[:100]}", file=sys.stderr, flush=True)
        output = "" if command == ["demo"] else _plain(process.stdout, str(folder))
        outputs["$ " + " ".join(command)] = (process.returncode, output)
    for path in sorted(folder.rglob("*")):
        is_index = any(
            part.startswith("search-english") for part in path.parts
        )  # tantivy names files at random
        if path.is_file() and not is_index and path.suffix != ".html":
            outputs[str(path.relative_to(folder))] = _digest(path, str(folder))
    return outputs


def _place(word: str, inputs: dict[str, Path]) -> str:
    for name, path in inputs.items():
        word = word.replace(f"{name}/", f"{path}/")
    return word


def _commands(folder: Path, fol: list[str]) -> Iterator[list[str]]:
    """Yield the commands to compare; the demo has been written to ``folder``."""
    runs = sorted(str(path.relative_to(folder)) for path in (folder / _DEMO / "runs").iterdir())
    judged = [f"{_JUDGED}/{name}" for name in _MEASURES]
    for assessments, measures in zip(judged, _MEASURES.values(), strict=True):
        named = [word for measure in measures for word in ("-m", measure)]
        scored = ["evaluate", "-a", assessments, "-c", _COLLECTION, *named]
        yield [*scored, "-q", "-f", "tsv", *runs]
        yield [*scored, "--on-invalid", "repair", "-f", "json", *runs]
        yield ["recallbase", "-a", assessments, "-c", _COLLECTION, "-f", "tsv"]
        yield ["recallbase", "-a", assessments, "-c", _COLLECTION, "--ideal", "-f", "tsv"]
    scoring = ["-a", judged[0], "-c", _COLLECTION]
    for style in ("csv", "latex", "trec", "table"):
        yield ["evaluate", *scoring, "-m", "MAiP, iP@0.01", "-q", "-f", style, *runs]
    yield ["evaluate", *scoring, *runs]
    yield ["evaluate", *scoring, "--compat", "inex_eval", *runs]
    for style in ("tsv", "json"):
        yield ["compare", *scoring, "-m", "char_f1@10", "-f", style, *runs[:4]]
    yield ["check", *scoring, "-t", f"{_DEMO}/topics.xml", "-f", "json", *runs]
    yield ["collection", _COLLECTION, "overlap", "/article[1]/head[1]/title[1]"]
    for task in ("thorough", "focused", "relevant-in-context", "best-in-context"):
        question = ["-c", _COLLECTION, "-t", f"{_DEMO}/topics.xml", "--task", task]
        yield ["search", *question, "-o", f"search-{task}.xml"]
    for system in ("perfect", "document", "parent", "biggest-child"):
        yield ["simulate", *scoring, "--system", system, "-o", f"simulated-{system}.xml"]
    yield ["pool", *runs, "--depth", "20", "-o", "pool.jsonl"]
    yield ["chunks", *scoring, "characters:400", "characters:400:100", "-f", "tsv"]
    for target in ("trec", "fol", "jsonl", "inex-xml"):
        for run in runs:
            name = f"{Path(run).stem}.{target}"
            yield ["convert", run, name, "--to", target, "-c", _COLLECTION, "--lossy"]
    for target in ("qrels", "jsonl", "trec", "web-annotation"):
        yield ["convert", judged[0], f"converted.{target}", "--to", target, "-c", _COLLECTION, "--lossy"]
    yield ["report", *scoring, "-m", "MAiP", "-m", "char_rec@5", "-o", "pages", *runs[:3]]
    yield [
        "evaluate",
        "-a",
        "FOL/qrels.txt",
        "-q",
        "-f",
        "tsv",
        "-m",
        "inex2009-focused",
        *(f"FOL/fol/{name}" for name in fol),
    ]
    documents = ("AP", "nDCG@10", "P@5,10", "RR", "R@100")
    yield [
        "evaluate",
        "-a",
        "TREC/qrels.txt",
        "-q",
        "-f",
        "tsv",
        "-m",
        ",".join(documents),
        "TREC/trec/run-00.run",
    ]
    yield [
        "evaluate",
        "-a",
        "TREC/qrels.txt",
        "--compat",
        "trec_eval",
        "-q",
        "-f",
        "tsv",
        "TREC/trec/run-01.run",
    ]
    yield ["evaluate", "-a", "CHUNKS/gold.jsonl", "-q", "-f", "tsv", "-m", "chunks", "CHUNKS/run.jsonl"]
    yield ["ingest", "SOURCES/", "-o", "bench.doxel", "--jobs", "1"]
    yield ["collection", "BENCH/", "--summary"]


def _plain(output: bytes, folder: str) -> Any:
    """Return an output without sentences and without the name of its folder."""
    text = output.decode(errors="replace").replace(folder, "")
    try:
        return _without_sentences(json.loads(text))
    except ValueError:
        lines = text.splitlines()
        header = lines[0].split("\t") if lines else []
        if not _SENTENCES & set(header):
            return text
        rows = (dict(zip(header, line.split("\t"), strict=False)) for line in lines)
        return [_without_sentences(row) for row in rows]


def _without_sentences(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_sentences(item) for key, item in value.items() if key not in _SENTENCES}
    return [_without_sentences(item) for item in value] if isinstance(value, list) else value


def _digest(path: Path, folder: str) -> str:
    if path.suffix == ".json":
        return json.dumps(_plain(path.read_bytes(), folder), sort_keys=True)
    content = path.read_bytes()
    if path.suffix == ".tex":  # without the sentence below a table
        content = b"".join(line for line in content.splitlines(True) if b"footnotesize" not in line)
    elif path.suffix in {".csv", ".parquet"}:
        table = pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)
        if sentences := _SENTENCES & set(table.columns):
            content = table.drop(sentences).write_csv(float_precision=None).encode()
    return hashlib.sha256(content).hexdigest()


def _shorten(value: Any) -> str:
    return repr(value)[:300]


if __name__ == "__main__":
    sys.exit(main())
