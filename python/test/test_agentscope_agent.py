"""An agent of AgentScope 2, in two conversations."""

from __future__ import annotations

import pytest

pytest.importorskip("agentscope.middleware", reason="needs AgentScope 2, which the packages of `test` leave out")

from documents import run_example, shown_of
from running_bus import RunningBus


def test_an_agent_knows_what_it_was_told(bus: RunningBus) -> None:
    assert run_example(bus, "agentscope_2_agent.py") == shown_of("agentscope_2_agent.py")
