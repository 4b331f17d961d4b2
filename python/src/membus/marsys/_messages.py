"""Messages of MARSYS, and their form for models and records."""

from __future__ import annotations

import base64
import json
import mimetypes
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Union

NEXT_ACTIONS = ("call_tool", "invoke_agent", "final_response")
Content = Union[str, "dict[str, Any]", "list[dict[str, Any]]", None]


@dataclass
class ToolCallMsg:
    """A tool call that a model requests. `arguments` is the JSON text of the model."""

    id: str
    call_id: str
    type: str
    name: str
    arguments: str


@dataclass
class AgentCallMsg:
    """The request to another agent."""

    agent_name: str
    request: Any


@dataclass
class MessageContent:
    """The decision of an agent. Raise `ValueError` for an unknown `next_action`."""

    thought: str | None = None
    next_action: str | None = None
    action_input: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.next_action is not None and self.next_action not in NEXT_ACTIONS:
            raise ValueError(f"next_action must be one of {', '.join(NEXT_ACTIONS)}, got {self.next_action!r}")


@dataclass
class Message:
    """A message of a conversation. `images` are URLs or paths of files. `content` may be an object."""

    role: str
    content: Content = None
    message_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    name: str | None = None
    tool_calls: list[ToolCallMsg] | None = None
    agent_calls: list[AgentCallMsg] | None = None
    structured_data: dict[str, Any] | None = None
    images: list[str] | None = None
    tool_call_id: str | None = None
    reasoning_details: list[dict[str, Any]] | None = None

    def to_llm_dict(self) -> dict[str, Any]:
        """Return the fields for a model that are set. Content that is an object is JSON, and images stay in `images`."""
        content = json.dumps(self.content, ensure_ascii=False) if isinstance(self.content, dict) else self.content
        fields = {
            "name": self.name,
            "tool_calls": [_nested(call) for call in self.tool_calls or ()],
            "agent_calls": [vars(call) for call in self.agent_calls or ()],
            "tool_call_id": self.tool_call_id,
            "images": self.images,
            "reasoning_details": self.reasoning_details,
        }
        return {"role": self.role, "content": content, **{name: value for name, value in fields.items() if value}}

    def to_api_format(self) -> dict[str, Any]:
        """Return the message for an OpenAI-compatible API. Images are parts, and files become data URLs."""
        fields = self.to_llm_dict()
        images = [{"type": "image_url", "image_url": {"url": image_url(image)}} for image in fields.pop("images", ())]
        fields.pop("agent_calls", None)
        fields.pop("reasoning_details", None)
        if images:
            texts = fields["content"] if isinstance(fields["content"], list) else [{"type": "text", "text": fields["content"] or ""}]
            fields["content"] = [*texts, *images]
        return fields

    @classmethod
    def from_response_dict(cls, response_dict: Mapping[str, Any], name: str | None = None) -> Message:
        """Return the message of a model's reply, with calls that are flat or nested in `function`."""
        return cls(
            role=response_dict.get("role", "assistant"),
            content=response_dict.get("content"),
            name=name if name is not None else response_dict.get("name"),
            tool_calls=[_flat(call) for call in response_dict.get("tool_calls") or ()] or None,
            reasoning_details=response_dict.get("reasoning_details"),
        )

    @classmethod
    def from_harmonized_response(cls, response: Any, name: str | None = None) -> Message:
        """Return the message of a response object with `content`, `role`, `tool_calls` and `reasoning_details`."""
        fields = ("role", "content", "tool_calls", "reasoning_details")
        given = {field: getattr(response, field, None) for field in fields}
        calls = [call if isinstance(call, Mapping) else vars(call) for call in given["tool_calls"] or ()]
        return cls.from_response_dict({**given, "role": given["role"] or "assistant", "tool_calls": calls}, name)


def image_url(image: str) -> str:
    """Return a URL unchanged, and a file as a data URL. Raise `FileNotFoundError` if the file does not exist."""
    if image.startswith("data:") or "://" in image:
        return image
    kind = mimetypes.guess_type(image)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(Path(image).read_bytes()).decode()}"


def to_record(message: Message) -> dict[str, Any]:
    """Return the message of a conversation record, with its id."""
    is_object = isinstance(message.content, dict)
    fields = {
        "name": message.name,
        "tool_calls": [vars(call) for call in message.tool_calls or ()],
        "agent_calls": [vars(call) for call in message.agent_calls or ()],
        "structured": message.content if is_object else message.structured_data,
        "images": [image_url(image) for image in message.images or ()],
        "tool_call_id": message.tool_call_id,
        "reasoning": message.reasoning_details,
    }
    given = {name: value for name, value in fields.items() if value}
    return {"id": message.message_id, "role": message.role, "content": None if is_object else message.content, **given}


def from_record(id: str, record: Mapping[str, Any]) -> Message:
    structured, content = record.get("structured"), record.get("content")
    is_object = content is None and isinstance(structured, dict)
    return Message(
        role=record["role"],
        content=structured if is_object else content,
        message_id=id,
        name=record.get("name"),
        tool_calls=[_flat(call) for call in record.get("tool_calls") or ()] or None,
        agent_calls=[AgentCallMsg(call.get("agent_name", ""), call.get("request")) for call in record.get("agent_calls") or ()] or None,
        structured_data=None if is_object else structured,
        images=record.get("images"),
        tool_call_id=record.get("tool_call_id"),
        reasoning_details=record.get("reasoning"),
    )


def _flat(call: Mapping[str, Any]) -> ToolCallMsg:
    named = call.get("function", call)
    id = str(call.get("id") or call.get("call_id") or "")
    return ToolCallMsg(id, str(call.get("call_id") or id), str(call.get("type", "function")), named["name"], named["arguments"])


def _nested(call: ToolCallMsg) -> dict[str, Any]:
    return {"id": call.id, "type": call.type, "function": {"name": call.name, "arguments": call.arguments}}
