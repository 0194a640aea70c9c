"""A Dask cluster with certificates of a self-made authority, set up as the page "Large collections" says."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from documents.commands import doxel_process, write_files
from doxel.documents import read_collection

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed: make system"),
]
pytest.importorskip("distributed", reason="needs the extra doxel[cluster]")

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
_START = "from dask.__main__ import main; main()"


def read_fence(language):
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return text


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    """Run the page's commands, write its configuration, and return the folder of the configuration."""
    folder = tmp_path_factory.mktemp("certificates")
    subprocess.run(["bash", "-ec", read_fence("bash")], cwd=folder, check=True, capture_output=True)
    settings = read_fence("yaml").replace("/shared/certificates", str(folder))
    return write_files(folder / "dask", {"tls.yaml": settings})


@pytest.fixture(scope="module")
def address(configuration):
    """Start a scheduler and a worker, and yield the scheduler's address."""
    file = configuration.parent / "scheduler.json"
    environment = {**os.environ, "DASK_CONFIG": str(configuration)}
    shared = ["--scheduler-file", str(file), "--no-dashboard", "--host", "127.0.0.1", "--protocol", "tls"]
    processes = []

    def start(program, *options):
        command = [sys.executable, "-c", _START, program, *shared, *options]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        processes.append(subprocess.Popen(command, env=environment, cwd=file.parent, **quiet))

    try:
        start("scheduler", "--port", "0")
        while not (file.exists() and file.stat().st_size):
            assert processes[0].poll() is None
            time.sleep(0.05)
        start("worker", "--nthreads", "1", "--no-nanny")
        yield json.loads(file.read_text())["address"]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture
def sources(tmp_path):
    return write_files(tmp_path / "sources", {"a.xml": "<a>one</a>", "b.xml": "<b>two</b>"})


def test_documents_are_ingested_on_an_encrypted_cluster(address, configuration, sources, tmp_path):
    assert address.startswith("tls://")
    outcome = doxel_process(
        *("ingest", sources, "-o", tmp_path / "c", "--cluster", address),
        environment={"DASK_CONFIG": str(configuration)},
    )
    assert outcome.status == 0, outcome.err
    assert list(read_collection(tmp_path / "c")) == ["a", "b"]


@pytest.mark.parametrize("scheme", ["tls", "tcp"])
def test_a_client_without_a_certificate_is_refused(address, sources, tmp_path, scheme):
    outcome = doxel_process(
        *("ingest", sources, "-o", tmp_path / "c", "--cluster", address.replace("tls", scheme, 1)),
        environment={"DASK_CONFIG": str(tmp_path), "DASK_DISTRIBUTED__COMM__RETRY__COUNT": "0"},
    )
    assert outcome.status == 2
    assert "Traceback" not in outcome.err
    assert outcome.messages[-1].startswith(f"doxel: the cluster {scheme}://127.0.0.1:")
    assert "cannot be reached" in outcome.messages[-1]
