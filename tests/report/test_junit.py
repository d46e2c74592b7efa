"""JUnit output, as junitparser sees it."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

Written = Callable[..., str]
Samples = SimpleNamespace


def read(text: str) -> JUnitXml:
    return JUnitXml.fromfile(BytesIO(text.encode()))  # type: ignore[arg-type]


def test_counts_and_outcomes(written: Written, samples: Samples) -> None:
    suites = read(written("junit", samples.everything))
    assert (suites.tests, suites.failures, suites.errors, suites.skipped) == (8, 2, 2, 2)
    by_name = {suite.name: suite for suite in suites}
    assert set(by_name) == {"epoll", "eventfd", "signalfd"}
    assert (by_name["signalfd"].tests, by_name["signalfd"].errors) == (2, 2)
    outcomes = {
        (case.classname, case.name): [(type(r), r.message, r.type) for r in case.result]
        for suite in suites
        for case in suite
    }
    assert outcomes["evkit.epoll", "fd-reuse (iteration 2)"] == []
    assert outcomes["evkit.epoll", "exclusive-einval"] == [(Skipped, samples.skipped.reason, "skip")]
    assert outcomes["evkit.signalfd", "sigchld-lost"] == [(Error, "killed by SIGSEGV", "error")]
    assert outcomes["evkit.signalfd", "mask-inherited"] == [
        (Error, "still running at its deadline", "timeout")
    ]
    all_epoll = [case.result for case in by_name["epoll"] if case.name == "fd-reuse"]
    assert [[type(r) for r in result] for result in all_epoll] == [[], [Failure]]


def test_a_failure_says_what_was_expected_and_observed(written: Written, samples: Samples) -> None:
    [suite] = read(written("junit", [samples.failed]))
    [case] = suite
    [failure] = case.result
    assert failure.message == samples.failed.reason
    assert "expected 1 observed" in failure.text
    assert "no such syscall #1" in case.system_out
    assert "read(4," in case.system_out
    assert case.time == pytest.approx(0.005)


def test_characters_xml_cannot_hold_are_escaped(written: Written, samples: Samples) -> None:
    hostile = samples.broken.__class__(
        **{**vars_of(samples.broken), "reason": "it printed: \x00\x1b[31m\ud800\ufffe ]]> <&\"'"}
    )
    [suite] = read(written("junit", [hostile]))
    [case] = suite
    assert case.result[0].message == "it printed: \\x00\\x1b[31m\\ud800\\ufffe ]]> <&\"'"


def vars_of(record: object) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name != "type"}


def test_interrupted_or_empty_it_is_a_whole_document(written: Written, samples: Samples) -> None:
    gathered = written("junit", samples.everything[:1], signal=15)
    root = ET.fromstring(gathered)
    found = {p.get("name"): p.get("value") for p in root.iter("property")}
    assert (found["interrupted"], found["exit_code"], found["seed"]) == ("true", "143", "42")
    assert read(written("junit", [], signal=2)).tests == 0
