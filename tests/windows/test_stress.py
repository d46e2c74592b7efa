"""The stressors: what they verify holds, and breaks when a packet is lost, doubled or forged."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from toolkit.primitives.iocp import INFINITE, CompletionPort, Packet
from toolkit.stress import registry, windows_engine
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


def test_a_threshold_that_is_missed_is_status_1(evkit: "Evkit", valid: Valid) -> None:
    done = evkit("iocp", "stress", "posts", "--ops", "200", "--min-rate", "1G", "--json")
    assert done.returncode == 1
    [result] = [record for record in valid(done.stdout) if record["type"] == "stress"]
    assert result["name"] == "iocp/posts"
    assert [threshold["name"] for threshold in result["thresholds"]] == ["min-rate"]
    assert evkit("iocp", "stress", "posts", "--ops", "200", "--min-rate", "1").returncode == 0
