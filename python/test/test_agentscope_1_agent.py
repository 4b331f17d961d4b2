"""An agent of AgentScope 1.0 that begins anew with what it left."""

from __future__ import annotations

import pytest

pytest.importorskip("agentscope.memory", reason="needs AgentScope 1.0, which the packages of `test` leave out")

from documents import run_example, shown_of
from running_bus import RunningBus


def test_an_agent_goes_on_and_knows_what_it_was_told(bus: RunningBus) -> None:
    assert run_example(bus, "agentscope_1_agent.py") == shown_of("agentscope_1_agent.py")
