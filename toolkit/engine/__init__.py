"""Runs cases: found by scan, one fresh process each, within a deadline, whatever they do."""

from toolkit.engine.plan import Plan
from toolkit.engine.registry import NothingSelectedError, all_cases, claims, select
from toolkit.engine.runs import run

__all__ = ["NothingSelectedError", "Plan", "all_cases", "claims", "run", "select"]
