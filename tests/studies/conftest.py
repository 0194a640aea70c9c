"""The bundled campaign, written once for the tests of studies."""

from __future__ import annotations

import pytest

from doxel.studies import find_study


@pytest.fixture(scope="session")
def demo_runs(demo):
    """The runs of the studies, by name."""
    return {path.stem: str(path) for path in demo.runs}


@pytest.fixture(scope="session")
def ask(demo, demo_runs):
    """Run a study on the bundled campaign, like the command without arguments."""

    cache = {}

    def asked(name, *, again=False, **options):
        if not options and not again:
            if name not in cache:
                cache[name] = asked(name, again=True)
            return cache[name]
        study = find_study(name)
        return study.ask(
            [demo_runs[run] for run in study.demo_runs],
            study.choose_demo_assessments(demo.assessments),
            collection=demo.collection,
            topic_file=demo.topics,
            **{**study.demo_options, **options},
        )

    return asked
