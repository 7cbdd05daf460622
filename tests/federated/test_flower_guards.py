"""Other machines reach what hospitals need and nothing else, and no app but the installed one is run."""

from __future__ import annotations

import asyncio
import contextlib
import io
import zipfile
from types import SimpleNamespace

import pytest

from leadapron.federated.flower import guarded_supernode
from leadapron.federated.flower.guarded_superlink import HospitalsOnly

OWN = "10.1.2.1"
HERE, ELSEWHERE = "127.0.0.1", "10.1.2.3"


class Guarded:
    """The guard in front of an app that answers everything."""

    def __init__(self):
        self.guard = HospitalsOnly(self.answer)

    @staticmethod
    async def answer(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200})

    def status(self, path, machine):
        sent = []

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "path": path, "client": (machine, 4711), "server": (OWN, 9092)}
        asyncio.run(self.guard(scope, None, send))
        return sent[0]["status"]


def test_other_machines_reach_what_is_for_hospitals_and_nothing_else():
    guarded = Guarded()
    assert guarded.status("/v1/control/start-run", HERE) == 200
    assert guarded.status("/v1/fleet/pull-messages", ELSEWHERE) == 200
    for path in ("/v1/control/start-run", "/v1/control/register-node", "/v1/runtime/acquire-task", "/docs", "/"):
        assert guarded.status(path, ELSEWHERE) == 403, path
        assert guarded.status(path, HERE) == guarded.status(path, OWN) == 200, path


def test_hospitals_are_asked_to_wait_until_the_run_has_started():
    guarded = Guarded()
    assert guarded.status("/v1/fleet/activate-node", HERE) == 503
    assert guarded.status("/v1/control/register-node", HERE) == 200
    assert guarded.status("/v1/fleet/activate-node", ELSEWHERE) == 503
    guarded.status("/v1/control/start-run", HERE)
    assert guarded.status("/v1/fleet/activate-node", ELSEWHERE) == 200


def test_a_start_from_another_machine_opens_nothing():
    guarded = Guarded()
    assert guarded.status("/v1/control/start-run", ELSEWHERE) == 403
    assert guarded.status("/v1/fleet/activate-node", HERE) == 503


@pytest.fixture
def app_bundle():
    pytest.importorskip("flwr", reason="not run: Flower is not installed")
    from leadapron.federated.flower import app_bundle

    return app_bundle


imports_flower = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@imports_flower
def test_the_app_that_is_sent_holds_names_and_no_code(app_bundle):
    with zipfile.ZipFile(io.BytesIO(app_bundle.make_bundle())) as bundle:
        assert sorted(bundle.namelist()) == [".info/CONTENT", "pyproject.toml"]


def changed(bundle, name, content):
    """The bundle with a file added or replaced, compressed otherwise."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bundle)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as new:
        for held in {*old.namelist(), name}:
            new.writestr(held, content if held == name and content is not None else old.read(held))
    return written.getvalue()


@imports_flower
def test_an_app_is_ours_by_what_it_says_however_it_is_compressed(app_bundle):
    ours = app_bundle.make_bundle()
    assert app_bundle.is_ours(ours)
    assert app_bundle.is_ours(changed(ours, "pyproject.toml", None))
    assert not app_bundle.is_ours(changed(ours, "client.py", "print('code')"))
    assert not app_bundle.is_ours(changed(ours, "pyproject.toml", "[project]"))
    assert not app_bundle.is_ours(b"no archive at all")


@imports_flower
def test_a_supernode_ends_before_it_runs_an_app_that_is_not_ours(app_bundle, monkeypatch, capsys):
    ended = []
    monkeypatch.setattr(guarded_supernode.os, "_exit", ended.append)
    bundles = [app_bundle.make_bundle(), b"something else"]

    def line():
        return contextlib.nullcontext((1, *"abc", lambda *_: SimpleNamespace(content=bundles.pop(0)), *"def"))

    for expected in ([], [1]):
        with guarded_supernode.without_foreign_code(line()) as calls:
            assert (calls[:4], calls[5:]) == ((1, *"abc"), tuple("def"))
            calls[4]("hash", 7)
        assert ended == expected
    assert "another app" in capsys.readouterr().out
