"""``make audit``: its outcomes, without a network."""

import pytest

from tools import audit


@pytest.fixture
def answer(monkeypatch, tmp_path):
    """Audit with programs that answer as given, and return status, message and the programs called."""

    def call(*answers):
        waiting, called = list(answers), []

        def run(command):
            called.append([str(word) for word in command])
            return waiting.pop(0)

        monkeypatch.setattr(audit.venv, "create", lambda *_, **__: None)
        monkeypatch.setattr(audit, "run", run)
        return (*audit.audit(tmp_path), called)

    return call


def test_without_an_index_nothing_is_checked_and_said_so(answer):
    status, message, called = answer(
        (1, "WARNING: Retrying\nERROR: No matching distribution found for pip-audit")
    )
    assert status == 2
    assert "no package index can be reached; nothing was checked" in message
    assert len(called) == 1


def test_without_the_vulnerability_service_nothing_is_checked_and_said_so(answer):
    status, message, _ = answer(
        (0, ""), (1, "pip_audit._service.interface.ServiceError: Max retries exceeded")
    )
    assert (status, "nothing was checked" in message) == (2, True)


def test_an_index_that_knows_no_vulnerabilities_is_not_taken_for_good_news(answer):
    warning = "click  Dependency not found on PyPI and could not be audited: click (8.5.1)\n"
    status, message, _ = answer((0, ""), (0, warning + "No known vulnerabilities found"))
    assert status == 2
    assert "1 of" in message
    assert "could not be checked" in message


@pytest.mark.parametrize(("returned", "status"), [(0, 0), (1, 1)])
def test_the_outcome_is_that_of_pip_audit(answer, returned, status):
    finding = "No known vulnerabilities found" if not returned else "Found 1 known vulnerability in 1 package"
    outcome, message, called = answer((0, ""), (returned, finding))
    assert (outcome, message) == (status, finding)
    assert called[1][1:3] == ["--requirement", str(audit.CONSTRAINTS)]
