"""The messages of a conversation in the interface of MARSYS."""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any, Sequence

from .._default_client import open_client
from ..conversation import ConversationMessage, record_content
from ..sync import AgentMemory, MemoryClient
from ..sync_memory import Conversation
from ._events import EventContext, MemoryResetEvent
from ._messages import AgentCallMsg, Content, Message, ToolCallMsg, from_record, to_record

DESCRIPTION_ID = "description"


class ConversationMemory:
    """The messages of one conversation, in the order in which they were added. Other processes can continue it.

    Methods raise `MembusError` for an error of the bus or the host.
    """

    def __init__(
        self, description: str | None = None, *, client: AgentMemory | None = None, conversation: str | None = None
    ) -> None:
        """`description` is the content of the first system message, if the conversation has none."""
        self._opened: MemoryClient | None = None
        if client is None:
            self._opened = client = open_client("marsys")
        self._conversation = Conversation(client, conversation or str(uuid.uuid4()))
        self._context: EventContext | None = None
        if description is not None:
            self._conversation.add({"id": DESCRIPTION_ID, "role": "system", "content": description})

    @property
    def conversation(self) -> str:
        """The id of the conversation, with which another process continues it."""
        return self._conversation.id

    def close(self) -> None:
        """Close the connection that this object has opened."""
        if self._opened is not None:
            self._opened.close()

    def set_event_context(self, agent_name: str, event_bus: Any, session_id: str | None = None) -> None:
        """Emit events of this memory on `event_bus` from now on."""
        self._context = EventContext(agent_name, event_bus, session_id)

    def add(
        self,
        message: Message | None = None,
        *,
        role: str | None = None,
        content: Content = None,
        name: str | None = None,
        tool_calls: list[ToolCallMsg] | None = None,
        agent_calls: list[AgentCallMsg] | None = None,
        images: list[str] | None = None,
        tool_call_id: str | None = None,
    ) -> str:
        """Add a message, or one of these fields, and return its id. Raise `ValueError` without a message and a role."""
        if message is None:
            if role is None:
                raise ValueError("either a message or a role is required")
            fields: Any = {"name": name, "tool_calls": tool_calls, "agent_calls": agent_calls}
            message = Message(role, content, **fields, images=images, tool_call_id=tool_call_id)
        return self._conversation.add(to_record(message))[0]

    def update(self, message_id: str, **fields: Any) -> None:
        """Change fields of a message. Raise `KeyError` if there is none with this id."""
        found = self._conversation.get(ids=[message_id])
        if not found:
            raise KeyError(f"there is no message with the id {message_id}")
        self._write(found[0], replace(_read(found[0]), **fields))

    def replace_memory(self, idx: int, message: Message | None = None, **fields: Any) -> None:
        """Replace the message at an index. Its id and position stay. Raise `IndexError` if there is none."""
        there = self._at(idx)
        self._write(there, replace(message or Message(**fields), message_id=there.id))

    def delete_memory(self, idx: int) -> None:
        """Delete the message at an index. Raise `IndexError` if there is none."""
        self._conversation.remove([self._at(idx).id])

    def remove_by_id(self, message_id: str) -> bool:
        """Delete a message. Return whether it existed."""
        return self._conversation.remove([message_id]) > 0

    def retrieve_all(self) -> list[dict[str, Any]]:
        """Return all messages in the form for a model."""
        return [_read(each).to_llm_dict() for each in self._messages()]

    def retrieve_recent(self, n: int = 1) -> list[dict[str, Any]]:
        """Return the last `n` messages."""
        return [_read(each).to_llm_dict() for each in self._conversation.get(last=n)]

    def get_messages(self) -> list[dict[str, Any]]:
        """Return the messages for a model."""
        return self.retrieve_all()

    def retrieve_by_id(self, message_id: str) -> dict[str, Any] | None:
        found = self._conversation.get(ids=[message_id])
        return _read(found[0]).to_llm_dict() if found else None

    def retrieve_by_role(self, role: str, n: int | None = None) -> list[dict[str, Any]]:
        """Return the messages with a role, or the last `n` of them."""
        found = [_read(each).to_llm_dict() for each in self._messages() if each.message["role"] == role]
        return found if n is None else found[len(found) - min(n, len(found)) :]

    def reset_memory(self) -> None:
        """Delete all messages except for the leading system message."""
        messages = self._messages()
        kept = messages[0].id if messages and messages[0].message["role"] == "system" else None
        self._conversation.remove([each.id for each in messages if each.id != kept])
        if self._context is not None:
            self._context.emit(MemoryResetEvent(self._context.agent_name, self._context.session_id))

    def save_to_file(self, filepath: str, additional_state: dict[str, Any] | None = None) -> None:
        """Write the messages as JSON, which `Conversation.load` in JavaScript reads too. The file is replaced at once."""
        messages = [
            {"id": each.id, "marks": [*each.marks], "message": each.message, "seq": each.seq} for each in self._messages()
        ]
        state = {"version": 1, "conversation": self.conversation, "messages": messages, "summaries": []}
        added = {} if additional_state is None else {"additional_state": additional_state}
        target = Path(filepath)
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"state": state, **added}, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, target)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise

    def load_from_file(self, filepath: str) -> dict[str, Any] | None:
        """Replace the messages by those of a file, and return the additional state.

        Raises:
            ValueError: For a file without a valid state. Nothing is changed.
        """
        try:
            saved = json.loads(Path(filepath).read_text(encoding="utf-8"))
            messages = [{"id": each["id"], **each["message"]} for each in saved["state"]["messages"]]
            for message in messages:
                record_content(message)
            additional: dict[str, Any] | None = saved.get("additional_state")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{filepath} has no state of a conversation: {error}") from error
        self._conversation.clear()
        self._conversation.add(messages)
        return additional

    def _messages(self) -> list[ConversationMessage]:
        """Return all messages, the description first."""
        return sorted(self._conversation.get(), key=lambda each: (each.id != DESCRIPTION_ID, each.seq))

    def _at(self, idx: int) -> ConversationMessage:
        messages = self._messages()
        if not -len(messages) <= idx < len(messages):
            raise IndexError(f"there is no message at index {idx}: the memory has {len(messages)} messages")
        return messages[idx]

    def _write(self, there: ConversationMessage, message: Message) -> None:
        record = {name: value for name, value in to_record(message).items() if name != "id"}
        removed = {name: None for name in there.message if name not in record}
        self._conversation.update(there.id, {**removed, **record})


def _read(message: ConversationMessage) -> Message:
    return from_record(message.id, message.message)


def to_llm_dicts(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages of records in the form for a model."""
    return [from_record("", message).to_llm_dict() for message in messages]
