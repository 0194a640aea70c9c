"""A plugin for pytest: the fixture and the marker ``doxel_gate``, which fail if a run is worse than before.

Every run of pytest imports this module, so it imports nothing of doxel before a test uses the fixture.

.. code-block:: python

    @pytest.mark.doxel_gate("baseline.json", max_drop=0.01)
    def test_retrieval_is_not_worse(doxel_gate):
        doxel_gate(doxel.evaluate(my_run(), "gold.jsonl", "char_rec@5", collection="docs.doxel"))

``pytest --doxel-update`` stores the results as the new baselines instead of comparing them.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from doxel.evaluation.analysis.regression_gate import GateVerdict
    from doxel.evaluation.evaluation_result import Evaluation

__all__ = ["doxel_gate"]

_MARKER = (
    "doxel_gate(baseline, *, measures=None, minimum=None, max_drop=0, level=0.95): "
    "arguments of the fixture doxel_gate; the baseline is relative to the folder of the test file"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that stores new baselines."""
    group = parser.getgroup("doxel")
    group.addoption(
        "--doxel-update",
        action="store_true",
        help="store the results of gates (fixture doxel_gate) as new baselines instead of comparing them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture
def doxel_gate(request: pytest.FixtureRequest) -> Callable[..., GateVerdict | None]:
    """Return a function that fails the test if a result is worse than the stored baseline.

    It takes the arguments of ``doxel.gate``; the marker ``doxel_gate`` provides those that a call leaves out.
    """
    marker = request.node.get_closest_marker("doxel_gate")
    settings: dict[str, Any] = {} if marker is None else dict(marker.kwargs)
    if marker is not None and marker.args:
        settings["baseline"] = marker.args[0]

    def check(result: Evaluation, baseline: Any = None, **changes: Any) -> GateVerdict | None:
        __tracebackhide__ = True
        options = {**settings, **changes}
        default = options.pop("baseline", None)
        file = default if baseline is None else baseline
        if file is None:
            pytest.fail(
                "doxel_gate: wanted the file of the baseline, in the marker or in the call", pytrace=False
            )
        path = Path(request.path).parent / file
        if request.config.getoption("--doxel-update"):
            result.save(path)
            return None
        return _compare(result, path, options)

    return check


def _compare(result: Evaluation, path: Path, options: dict[str, Any]) -> GateVerdict:
    """Return the verdict of a gate that passes; fail the test otherwise."""
    __tracebackhide__ = True
    from doxel.errors import InputError
    from doxel.evaluation.analysis.regression_gate import gate

    names = list(signature(gate).parameters)[2:]
    unknown = next((name for name in options if name not in names), None)
    if unknown is not None:
        pytest.fail(f"doxel_gate: wanted the arguments {', '.join(names)}, found {unknown!r}", pytrace=False)
    if not path.exists():
        pytest.fail(f"doxel_gate: {path} does not exist; pytest --doxel-update writes it", pytrace=False)
    try:
        verdict = gate(result, path, **options)
    except InputError as error:
        pytest.fail(f"doxel_gate: {error}", pytrace=False)
    if not verdict:
        pytest.fail(f"doxel_{verdict}", pytrace=False)
    return verdict
