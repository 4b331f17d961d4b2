"""Tests the client in processes without a working OpenTelemetry API."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import nats
from running_bus import ROOT, RunningBus

#: Hides the OpenTelemetry API, as if it were not installed.
HIDDEN = "import sys; sys.modules['opentelemetry'] = None\n"
STORE = """
import membus

with membus.connect(sys.argv[1], agent=sys.argv[2]) as memory:
    memory.remember("k", "v")
    print(memory.recall("k"))
"""
IMPORT = """
import sys, membus
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""


def output(program: str, *arguments: str, **settings: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    env = {"PYTHONPATH": str(ROOT / "python" / "src"), "PYTHONDONTWRITEBYTECODE": "1", **settings}
    return subprocess.run(command, check=True, env=env, capture_output=True, text=True, timeout=120).stdout


async def test_the_client_works_and_sends_no_headers(bus: RunningBus, agent: str) -> None:
    listener = await nats.connect(bus.url)
    requests = await listener.subscribe(f"a2e.default.{agent}.memory.>")
    await listener.flush()
    assert await asyncio.to_thread(output, HIDDEN + STORE, bus.url, agent) == "v\n"
    assert [(await requests.next_msg(timeout=60)).headers for _ in range(2)] == [None, None]
    await listener.close()


def test_the_package_does_not_import_the_api_before_it_connects() -> None:
    assert output(IMPORT) == "[]\n"


async def test_the_client_works_without_traces_if_the_api_cannot_start(bus: RunningBus, agent: str) -> None:
    settings = {"OTEL_PROPAGATORS": "missing"}
    assert await asyncio.to_thread(output, "import sys\n" + STORE, bus.url, agent, **settings) == "v\n"
