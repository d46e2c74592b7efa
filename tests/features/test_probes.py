"""Probes leave the process as it was, and answer once."""

import os
import signal
from pathlib import Path

import pytest

from toolkit.features import PROBES, probe
from toolkit.features.trying import MissingError, Probe, in_child


def _state() -> object:
    numbers = sorted(int(name) for name in os.listdir("/proc/self/fd"))  # noqa: PTH208  numbers, not paths
    children = Path("/proc/thread-self/children").read_text()
    return numbers, children, signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending()


@pytest.mark.parametrize("name", PROBES)
def test_a_probe_leaves_nothing_behind(name: str) -> None:
    before = _state()
    feature = PROBES[name].run(name)
    assert _state() == before
    assert feature.name == name
    assert feature.available or feature.reason


def test_each_is_tried_once_a_process() -> None:
    assert probe("kcmp") is probe("kcmp")


def test_a_child_that_dies_is_a_missing_feature() -> None:
    dying = Probe("none", "dies", in_child(lambda: os.kill(os.getpid(), signal.SIGKILL)))
    feature = dying.run("dying")
    assert (feature.available, feature.reason) == (False, "the probe's process ended without an answer")


def test_what_a_child_finds_comes_back() -> None:
    def missing() -> None:
        raise MissingError("not here")

    assert Probe("none", "", in_child(lambda: "42")).run("x").value == "42"
    assert Probe("none", "", in_child(lambda: None)).run("x").available
    assert Probe("none", "", in_child(missing)).run("x").reason == "not here"
