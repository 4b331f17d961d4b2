"""Tests the memory provider for Hermes Agent. Its base class is a stand-in where hermes-agent is not installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hermes_plugin import assistant_call, failing_command, hook_command, stand_in, tool_result
from running_bus import RunningBus

stand_in()

from membus.hermes import MembusMemoryProvider
from membus.hermes._turn import tool_calls

STATEMENT = "Always use pnpm in this repository."
#: No server listens at this port.
NOWHERE = "nats://127.0.0.1:9"
QUESTION = "Which command of pnpm installs the packages of this repository?"
CONVERSATION: list[dict[str, Any]] = [
    {"role": "user", "content": "An earlier turn"},
    assistant_call("c-0", "terminal", '{"command": "ls"}'),
    tool_result("c-0", "{}"),
    {"role": "user", "content": STATEMENT},
    assistant_call("c-1", "terminal", '{"command": "pnpm tset"}'),
    tool_result("c-1", '{"output": "Missing script: tset", "exit_code": 1}'),
    assistant_call("c-2", "terminal", '{"command": "pnpm test"}'),
    tool_result("c-2", '{"output": "12 passed", "exit_code": 0}'),
    assistant_call("c-3", "terminal", '{"command": "sleep 9"}'),
    {"role": "assistant", "content": "Done."},
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that is a separate project."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TERMINAL_CWD", raising=False)
    return folder


def started(command: list[str], session: str = "s-1", **kwargs: Any) -> MembusMemoryProvider:
    provider = MembusMemoryProvider(command)
    provider.initialize(session, **{"platform": "cli", "hermes_home": "/nowhere", **kwargs})
    return provider


def called(provider: MembusMemoryProvider, tool: str, **args: Any) -> dict[str, str]:
    result: dict[str, str] = json.loads(provider.handle_tool_call(tool, args))
    return result


def test_reports_the_tool_calls_of_the_last_turn_that_have_a_result() -> None:
    assert tool_calls(CONVERSATION) == [
        {
            "tool_name": "terminal",
            "tool_input": {"command": "pnpm tset"},
            "tool_response": '{"output": "Missing script: tset", "exit_code": 1}',
        },
        {
            "tool_name": "terminal",
            "tool_input": {"command": "pnpm test"},
            "tool_response": '{"output": "12 passed", "exit_code": 0}',
        },
    ]
    assert tool_calls([]) == []


def test_recalls_a_statement_and_a_fix_in_another_session(bus: RunningBus, project: Path) -> None:
    provider = started(hook_command(bus, project.parent))
    assert provider.prefetch(STATEMENT) == ""
    provider.sync_turn(STATEMENT, "Done.", session_id="s-1", messages=CONVERSATION)
    assert provider.prefetch(QUESTION) == ""
    provider.on_session_switch("s-2", reset=True)
    recalled = provider.prefetch(QUESTION)
    assert f"hermes, said by the user) {STATEMENT}" in recalled
    assert '"`pnpm tset` failed: Missing script: tset - `pnpm test` worked."' in recalled
    assert provider.prefetch(QUESTION) == ""
    provider.on_session_switch("s-2", reason="compression")
    assert STATEMENT in provider.prefetch(QUESTION)
    provider.on_session_end([])
    provider.shutdown()


def test_keeps_prompts_of_schedules_and_subagents_out(bus: RunningBus, project: Path) -> None:
    command = hook_command(bus, project.parent)
    started(command, agent_context="cron").sync_turn(STATEMENT, "Done.")
    assert started(command, "s-2").prefetch(QUESTION) == ""


def test_persons_on_a_platform_have_separate_memories(bus: RunningBus, project: Path) -> None:
    command = hook_command(bus, project.parent)
    started(command, user_id="4711").sync_turn(STATEMENT, "Done.")
    assert started(command, "s-2", user_id="12").prefetch(QUESTION) == ""
    assert STATEMENT in started(command, "s-3", user_id="4711").prefetch(QUESTION)


def test_a_group_that_names_no_person_does_not_read_the_memory_of_the_owner(bus: RunningBus, project: Path) -> None:
    command = hook_command(bus, project.parent)
    started(command).sync_turn(STATEMENT, "Done.")
    group = {"platform": "telegram", "chat_id": "-100", "chat_type": "group"}
    asked = started(command, "s-2", **group)
    assert asked.prefetch(QUESTION) == ""
    assert called(asked, "membus_recall", query=QUESTION) == {"result": "No memory fits."}
    keyed = {"platform": "api_server", "gateway_session_key": "k-1"}
    for number, origin in enumerate((group, keyed)):
        started(command, f"g-{number}", **origin).sync_turn("Always use yarn in this group.", "Done.")
        assert "yarn" in started(command, f"h-{number}", **origin).prefetch("Which command of yarn installs this?")
    assert "yarn" not in started(command, "s-3").prefetch("Which command of yarn installs this?")
    assert STATEMENT in started(command, "s-4", platform="tui").prefetch(QUESTION)


def test_a_remote_session_without_a_person_or_a_chat_has_no_memory(bus: RunningBus, project: Path) -> None:
    command = hook_command(bus, project.parent)
    started(command).sync_turn(STATEMENT, "Done.")
    remote = started(command, "s-2", platform="api_server")
    remote.sync_turn("Always use yarn in this repository.", "Done.")
    assert remote.prefetch(QUESTION) == ""
    off = {"error": "membus: memory is off in this session, because the platform names neither a person nor a chat."}
    assert called(remote, "membus_recall", query=QUESTION) == off
    assert called(remote, "membus_remember", text="x") == off
    assert "yarn" not in started(command, "s-3").prefetch("Which command of yarn installs this?")


def test_remembers_recalls_and_forgets_with_tools(bus: RunningBus, project: Path) -> None:
    provider = started(hook_command(bus, project.parent))
    assert [schema["name"] for schema in provider.get_tool_schemas()] == ["membus_remember", "membus_recall", "membus_forget"]
    assert called(provider, "membus_recall", query="staging port") == {"result": "No memory fits."}
    text = "The staging database is on port 5433"
    assert called(provider, "membus_remember", text=text, about="project") == {"result": "Kept."}
    found = called(provider, "membus_recall", query="port of the staging database")["result"]
    assert text in found
    memory_id = found.partition("[memory:")[2][:8]
    assert called(provider, "membus_forget", id=memory_id) == {"result": "Forgotten."}
    assert called(provider, "membus_forget", id=memory_id) == {"result": f"No memory has the id {memory_id}."}
    assert called(provider, "membus_forget", id="x")["error"].startswith("membus: unknown payload: id ")


def test_says_at_each_turn_that_writes_are_queued_and_delivers_them_once(bus: RunningBus, project: Path) -> None:
    warnings: list[str] = []
    provider = started(hook_command(bus, project.parent, url=NOWHERE), warning_callback=warnings.append)
    provider.sync_turn(STATEMENT, "Done.")
    kept = called(provider, "membus_remember", text="The staging database is on port 5433")
    assert kept["result"] == "Kept."
    for _ in range(2):
        shown = provider.prefetch("Hello there")
        assert shown.startswith("membus: memory is degraded: ")
        assert "2 writes are queued on this machine" in shown
    assert warnings == [shown, shown]
    later = started(hook_command(bus, project.parent), "s-2")
    assert "degraded" not in later.prefetch("Hello there")
    later.sync_turn(STATEMENT, "Done.")
    recalled = called(later, "membus_recall", query="pnpm and the port of the staging database")["result"]
    assert (recalled.count(STATEMENT), recalled.count("port 5433")) == (1, 1)


def test_says_that_a_memory_may_be_lost_if_the_hook_fails(tmp_path: Path, project: Path) -> None:
    provider = started(failing_command(tmp_path))
    assert provider.is_available()
    notice = "membus: a memory may be lost: the hook ended with 3: broken."
    provider.sync_turn(STATEMENT, "Done.")
    assert provider.prefetch(QUESTION) == notice
    assert called(provider, "membus_remember", text="x") == {"error": notice}
    assert not MembusMemoryProvider(["no-such-membus"]).is_available()
