"""The stressors: what they verify holds, and breaks when a packet is lost, doubled or forged."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolkit.primitives.iocp import INFINITE, CompletionPort, Packet
from toolkit.primitives.processors import bind_thread, usable
from toolkit.stress import registry, windows_engine
from toolkit.stress.glimpse import Glimpse
from toolkit.stress.iocp import posts
from toolkit.stress.plan import Plan

if TYPE_CHECKING:
    from tests.windows.conftest import Evkit

Valid = Callable[[str], list[dict[str, Any]]]


def plan(ops: int) -> Plan:
    return Plan(seed=11, workers=3, ops=ops, duration_ns=None)


@pytest.mark.parametrize("name", registry.names("iocp"))
def test_every_invariant_holds(name: str) -> None:
    result, signal_number = windows_engine.run(name, plan(300))
    assert (result.ok, result.error, signal_number) == (True, None, 0), result
    assert result.ops >= 300
    assert result.latency_ns is not None


@pytest.mark.parametrize("fault", ["lost", "doubled", "forged"])
def test_a_planted_fault_breaks_an_invariant(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    genuine = CompletionPort.wait
    seen = [0]
    again: list[Packet] = []

    def wait(port: CompletionPort, timeout_ms: int = INFINITE) -> Packet | None:
        if again:
            return again.pop()
        packet = genuine(port, timeout_ms)
        seen[0] += 1
        if seen[0] != 50 or packet is None:
            return packet
        if fault == "lost":
            return genuine(port, timeout_ms)
        if fault == "doubled":
            again.append(packet)
            return packet
        return packet._replace(key=packet.key + 1)

    monkeypatch.setattr(CompletionPort, "wait", wait)
    result, _ = windows_engine.run("posts", plan(300))
    assert not result.ok
    assert any(
        invariant.name == "each-packet-exactly-once" and not invariant.ok for invariant in result.invariants
    )


def test_a_run_in_which_nothing_moves_any_more_ends_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = CompletionPort.wait

    def swallow(port: CompletionPort, timeout_ms: int = INFINITE) -> Packet | None:
        while (packet := genuine(port, timeout_ms)) is not None and packet.overlapped:
            pass  # a post of the story has a word there, the one that ends a taker has none
        return packet

    monkeypatch.setattr(posts, "_BACKLOG", 8)
    monkeypatch.setattr(CompletionPort, "wait", swallow)
    result, _ = windows_engine.run("posts", plan(300))
    broken = [invariant.name for invariant in result.invariants if not invariant.ok]
    assert broken[0] == "progress"
    assert "all-operations-done" in broken
    assert result.error is None


def test_a_thread_can_be_bound_to_a_processor() -> None:
    before = bind_thread([usable()[0]])
    assert bind_thread(before) == [usable()[0]]
    assert before == usable()
    with pytest.raises(OSError, match=r"SetThreadAffinityMask\(0x0\): ERROR_INVALID_PARAMETER \(87\)"):
        bind_thread([])


def test_workers_run_where_they_are_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    bound: list[list[int]] = []

    def noting(cpus: set[int]) -> None:
        bind_thread(cpus)
        bound.append(bind_thread(cpus))  # what the system says was in force

    monkeypatch.setattr(windows_engine, "bind_thread", noting)
    result, _ = windows_engine.run("cancel-storm", replace(plan(30), pin="spread", workers=2))
    assert result.params["pin"] == "spread"
    assert sorted(bound) == sorted([usable()[index % len(usable())]] for index in range(2))


def test_a_live_line_shows_how_far_it_is() -> None:
    seen: list[Glimpse] = []
    result, _ = windows_engine.run("posts", Plan(seed=1, duration_ns=900_000_000), seen.append)
    assert [glimpse.name for glimpse in seen] == ["iocp/posts"] * len(seen)
    assert len(seen) >= 2
    assert sorted(glimpse.ops for glimpse in seen) == [glimpse.ops for glimpse in seen]
    assert 0 < seen[-1].ops <= result.ops
    assert all(glimpse.ok and glimpse.planned_ns == 900_000_000 for glimpse in seen)


def test_the_command_shows_the_live_line_pins_and_refuses_foreign_processors(
    evkit: "Evkit", valid: Valid, tmp_path: Path
) -> None:
    done = evkit("iocp", "stress", "posts", "--duration", "900ms", "--pin", "same", "--progress", "--json")
    assert done.returncode == 0
    assert all(line.startswith("iocp/posts: ") and "/s" in line for line in done.stderr.splitlines())
    assert len(done.stderr.splitlines()) >= 2
    [result] = [record for record in valid(done.stdout) if record["type"] == "stress"]
    assert result["params"] == {"workers": 2, "pin": "same", "latency": False}
    assert sum(each["count"] for each in result["histogram"]) == result["latency_ns"]["count"]
    (tmp_path / "saved").write_text(done.stdout, encoding="utf-8")
    again = ("iocp", "stress", "posts", "--duration", "900ms", "--pin", "same", "--baseline", "saved")
    # Twelve times slower is no fault under Wine: its server is on the workers' CPU in one run and not in the next.
    assert evkit(*again, "--max-regression", "99%").returncode == 0
    done = evkit("iocp", "stress", "posts", "--ops", "10", "--pin", "63")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("evkit iocp stress: CPU 63 is not available to this process; usable are 0")


def test_a_threshold_that_is_missed_is_status_1(evkit: "Evkit", valid: Valid) -> None:
    done = evkit("iocp", "stress", "posts", "--ops", "200", "--min-rate", "1G", "--json")
    assert done.returncode == 1
    [result] = [record for record in valid(done.stdout) if record["type"] == "stress"]
    assert result["name"] == "iocp/posts"
    assert [threshold["name"] for threshold in result["thresholds"]] == ["min-rate"]
    assert evkit("iocp", "stress", "posts", "--ops", "200", "--min-rate", "1").returncode == 0
