"""The parts of a Hermes installation that the provider needs: the command of the hook, and a folder with the plugin."""

from __future__ import annotations

import os
import stat
import sys
from abc import ABC
from pathlib import Path
from types import ModuleType
from typing import Any

from running_bus import MEMBUS, RunningBus

PLUGIN = """from membus.hermes import MembusMemoryProvider

def register(ctx):
    ctx.register_memory_provider(MembusMemoryProvider({command!r}))
"""


def stand_in() -> None:
    """Provide the base class of providers if hermes-agent is not installed. It has no behaviour."""
    try:
        import agent.memory_provider  # noqa: F401
    except ImportError:
        for name, members in (
            ("agent", {}),
            ("agent.memory_provider", {"MemoryProvider": ABC}),
            ("agent.runtime_cwd", {"resolve_agent_cwd": Path.cwd}),
        ):
            module = ModuleType(name)
            vars(module).update(members)
            sys.modules[name] = module


def hook_command(bus: RunningBus, folder: Path, *, url: str = "") -> list[str]:
    """Return the command of the hook with its state in `folder`. It connects to the bus, and starts no host."""
    node = os.environ.get("MEMBUS_TEST_NODE", "node")
    return [node, str(MEMBUS), "hook", "hermes", "--nats", url or bus.url, "--state", str(folder / "state"), "--no-start"]


def write_plugin(home: Path, command: list[str]) -> None:
    plugin = home / "plugins" / "membus"
    plugin.mkdir(parents=True)
    (plugin / "__init__.py").write_text(PLUGIN.format(command=command))
    (home / "config.yaml").write_text("memory:\n  provider: membus\n")


def failing_command(folder: Path) -> list[str]:
    program = folder / "failing-hook"
    program.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return [str(program)]


def assistant_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def tool_result(call_id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}
