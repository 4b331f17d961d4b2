"""Tests the AgentScope 1.0 example."""

from __future__ import annotations

import pytest

pytest.importorskip("agentscope.memory", reason="needs AgentScope 1.0, which is not installed with the extra `test`")

from documents import run_example, shown_of
from running_bus import RunningBus


def test_an_agent_continues_and_remembers(bus: RunningBus) -> None:
    assert run_example(bus, "agentscope_1_agent.py") == shown_of("agentscope_1_agent.py")
