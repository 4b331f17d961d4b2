"""Tests the AgentScope 2 example."""

from __future__ import annotations

import pytest

pytest.importorskip("agentscope.middleware", reason="needs AgentScope 2, which is not installed with the extra `test`")

from documents import run_example, shown_of
from running_bus import RunningBus


def test_an_agent_remembers_across_conversations(bus: RunningBus) -> None:
    assert run_example(bus, "agentscope_2_agent.py") == shown_of("agentscope_2_agent.py")
