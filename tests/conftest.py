"""Fixtures that all tests share."""

import fcntl
import gc
import hashlib
import io
import os
import pickle
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from browser import chromium  # noqa: F401 -- a fixture, for whoever tests a page
from firefox import firefox  # noqa: F401 -- another one, for journeys
from random_share import count_cases
from rewriting import fill_cache, spare_package

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"

# a busy machine must not fail a test
settings.register_profile(
    "doxel", max_examples=count_cases(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("doxel")


def pytest_configure(config: pytest.Config) -> None:
    """Pause garbage collection while the tests are collected: almost everything then created stays."""
    gc.disable()
    spare_package(config)
    fill_cache(config)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path):
    """Look for examples only in files that have some; the others would be imported and searched in vain."""
    collectors = yield
    if ">>> " in file_path.read_text(encoding="utf-8", errors="replace"):
        return collectors
    return [collector for collector in collectors if type(collector).__name__ != "DoctestModule"]


def pytest_collection_finish() -> None:
    """Exempt the tests themselves, of which there are thousands, from every later garbage collection.

    Those become rarer, too: with the usual limits they take a twentieth of the time of all tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Exempt what is left after pytest has collected the garbage: it will do so again at once."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _hasty_disk():
    """Turn off disk syncs: thousands of small files are written, and no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _file: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _usual_signals():
    """Interrupt and hang up as usual: a process that is started in the background ignores both."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("the real data of ../shared/data is missing")
    return SHARED


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The files of the bundled campaign, written once; tests that change them work on a copy."""
    from doxel.campaign import write_demo

    return write_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL of our own."""
    from tools.postgres import postgres_programs, temporary_postgres

    from assess.databases import Postgres

    programs = postgres_programs()
    if programs is None:
        reason = "there is no PostgreSQL: 'make system' installs it"
        pytest.fail(reason) if os.environ.get("REQUIRE_POSTGRES") else pytest.skip(reason)
    with temporary_postgres(programs, fsync=False) as address:
        yield Postgres(address)


@pytest.fixture(scope="session")
def sqlite(tmp_path_factory):
    """Makes empty SQLite databases."""
    from assess.databases import Sqlite

    return Sqlite(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="session")
def compute_once(tmp_path_factory):
    """A function that computes the value of a name and keeps it in a file, so that no other worker does."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of all workers

    def compute(name, function):
        with (folder / f"{name}.pickle").open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not file.tell():
                pickle.dump(function(), file)
                file.flush()
            file.seek(0)
            return pickle.load(file)  # noqa: S301 -- written above

    return compute


@pytest.fixture(scope="session")
def demo_command(tmp_path_factory, compute_once):
    """The outcome of ``doxel demo``, run once for all workers, and its folder; tests work on a copy."""
    from documents.commands import doxel

    def run():
        folder = tmp_path_factory.mktemp("demo-command") / "a demo"
        return doxel("demo", "--out", folder), folder

    return compute_once("demo-command", run)


@pytest.fixture(scope="session")
def ask(demo, compute_once):
    """Run a study on the bundled campaign, like the command without arguments.

    Results without options are kept in a file, so that no other worker computes them again.
    """
    from doxel.studies import find_study

    def run_study(name, options):
        study = find_study(name)
        runs = {path.stem: str(path) for path in demo.runs}
        return study.ask(
            [runs[run] for run in study.demo_runs],
            study.choose_demo_assessments(demo.assessments),
            collection=demo.collection,
            topic_file=demo.topics,
            **{**study.demo_options, **options},
        )

    def ask_once(name, *, again=False, **options):
        if options or again:
            return run_study(name, options)
        return compute_once(f"study-{name}", lambda: run_study(name, {}))

    return ask_once


@pytest.fixture
def draw_once(compute_once, monkeypatch):
    """Draw each different picture once for all tests: pictures take most of the time of a report."""
    from doxel.reports import matplotlib_pictures

    draw = matplotlib_pictures.draw

    def draw_or_load(picture, file_format, **options):
        if sys.modules.get("matplotlib", True) is None:  # a test is without it
            return draw(picture, file_format, **options)
        data = io.BytesIO()
        pickler = pickle.Pickler(data)
        pickler.fast = True  # equal pictures give equal bytes, whichever values are the same objects
        pickler.dump((picture, file_format, options))
        name = hashlib.sha256(data.getvalue()).hexdigest()
        return compute_once(f"picture-{name}", lambda: draw(picture, file_format, **options))

    monkeypatch.setattr(matplotlib_pictures, "draw", draw_or_load)


@pytest.fixture(scope="session")
def hostile_campaign(tmp_path_factory, compute_once):
    """A small campaign with names and texts that could break a page, written once for all workers."""
    from reports.hostile_campaign import write_campaign

    return compute_once("hostile-campaign", lambda: write_campaign(tmp_path_factory.mktemp("campaign")))


@pytest.fixture(scope="session")
def hostile_report(hostile_campaign, compute_once):
    """The folder of the report of that campaign, written once for all workers."""
    from reports.hostile_campaign import write_report

    return compute_once("hostile-report", lambda: write_report(hostile_campaign))


@pytest.fixture
def own_table(monkeypatch):
    """Let a test declare measures of its own: it starts without those of other tests, and leaves none."""
    from doxel.measures import measure_table

    def forget():
        measure_table.map_measures.cache_clear()
        measure_table.map_measures_for.cache_clear()

    monkeypatch.setattr(measure_table, "_registered", {})
    forget()
    yield
    monkeypatch.undo()
    forget()
