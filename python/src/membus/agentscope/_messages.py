"""Messages, names and tool responses of AgentScope 1."""

from __future__ import annotations

from typing import Any, Union

from agentscope.message import Msg, TextBlock
from agentscope.tool import ToolResponse

from .._mem0_filters import entities_of, namespace_of, subject_of

Messages = Union[Msg, "list[Msg]", None]


def ids_of(agent_name: str | None, user_name: str | None, run_name: str | None) -> dict[str, Any]:
    names = {"user_id": user_name, "agent_id": agent_name, "run_id": run_name}
    ids: dict[str, Any] = {name: value for name, value in names.items() if value is not None}
    if not ids:
        raise ValueError("at least one of agent_name, user_name and run_name is required")
    namespace_of(subject_of(entities_of(ids)))
    return ids


def messages_of(msgs: Any) -> list[dict[str, str]]:
    """Return the role and the text of messages. None is ignored."""
    messages = [msgs] if isinstance(msgs, Msg) else [message for message in msgs if message]
    return [{"role": message.role, "content": message.get_text_content() or ""} for message in messages]


def last_text(msg: Messages) -> list[str]:
    """Return the text of the last message, or an empty list without messages."""
    return [text["content"] for text in messages_of(msg or [])[-1:]]


def tool_response(text: str) -> ToolResponse:
    return ToolResponse(content=[TextBlock(type="text", text=text)])
