"""The messages of one conversation, in order of arrival. Any number of processes and languages may write to it.

    conversation = AsyncConversation(client, "c-1")
    await conversation.add({"role": "user", "content": "Which train?"})
    print(await conversation.messages())
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Mapping, Sequence, Union

from ._conversation_records import ConversationRecords, id_of
from ._schema import MemoryEntry, MemoryTier
from .aio import AsyncAgentMemory
from .errors import ConflictError

ROLES = ("system", "developer", "user", "assistant", "tool")
NewMessages = Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]
#: Maximum number of attempts to change a message that is changed concurrently.
_ATTEMPTS_MAX = 8


@dataclass(frozen=True)
class ConversationMessage:
    """A stored message. `seq` is its position in the order of arrival, `created` a Unix time."""

    id: str
    message: dict[str, Any]
    seq: int
    created: float
    marks: tuple[str, ...] = ()
    key_hash: str = ""


class AsyncConversation:
    """The durable messages of one conversation, of any length. A message has `role` and `content` as for a model, and
    optionally `name`, `tool_calls` and `tool_call_id`.

    Every method raises `MembusError` for an error of the bus or the host.

    Raises:
        ValueError: If the id is not a non-empty string, or the tier is unknown.
    """

    def __init__(self, client: AsyncAgentMemory, id: str, *, tier: MemoryTier = "episodic") -> None:
        self.records = ConversationRecords(client, id, tier)

    @property
    def id(self) -> str:
        return self.records.conversation

    async def add(self, messages: NewMessages) -> list[str]:
        """Append messages, and return their ids. A message may contain its `id`. A known id is not added again.

        Raises:
            TypeError: For an invalid message. Nothing is added.
        """
        given = [messages] if isinstance(messages, Mapping) else [*messages]
        ids = [str(message.get("id") or uuid.uuid4()) for message in given]
        contents = [record_content(message) for message in given]
        await self.records.store([self.records.entry(id, content) for id, content in zip(ids, contents)])
        return ids

    async def get(self, *, last: int | None = None, ids: Sequence[str] | None = None) -> list[ConversationMessage]:
        """Return all messages, the `last` ones, or those with these ids, oldest first."""
        if last is not None:
            return [read_message(entry) async for entry in self.records.newest(last)][::-1] if last > 0 else []
        entries = await (self.records.messages() if ids is None else self.records.of_ids(ids))
        return [read_message(entry) for entry in entries]

    async def messages(self) -> list[dict[str, Any]]:
        """Return all messages in the form for a model, oldest first."""
        return [message.message for message in await self.get()]

    async def search(self, query: str, *, limit: int = 10) -> list[ConversationMessage]:
        """Return messages by relevance to a query, best first. Empty if nothing matches."""
        return [read_message(entry) for entry in await self.records.search(query, limit)]

    async def update(self, id: str, patch: Mapping[str, Any]) -> bool:
        """Change fields of a message. None removes an optional field. The position and the marks stay.

        Returns:
            Whether the message exists.

        Raises:
            TypeError: If the changed message is invalid.
            ConflictError: If it is changed concurrently at each attempt.
        """
        for _ in range(_ATTEMPTS_MAX):
            entries = await self.records.of_ids([id])
            if not entries:
                return False
            merged = {**entries[0]["content"], **patch}
            content = record_content({name: each for name, each in merged.items() if each is not None or name == "content"})
            marks = [str(mark) for mark in read_message(entries[0]).marks]
            changed = {**self.records.entry(id, content, marks), "if_revision": entries[0]["revision"]}
            if not await self.records.store([changed]):
                await self.records.forget_covering([entries[0]["seq"]])
                return True
        raise ConflictError("the message is changed concurrently by others: try again later")

    async def remove(self, ids: Sequence[str]) -> int:
        """Delete messages, and the summaries that cover them. Return the number of deleted messages."""
        entries = await self.records.of_ids(ids)
        await self.records.forget_covering([entry["seq"] for entry in entries])
        return await self.records.forget_ids([id_of(entry) for entry in entries]) if entries else 0

    async def clear(self) -> int:
        """Delete all messages, summaries and offloaded texts. Return the number of deleted entries."""
        return await self.records.forget_all()

    async def size(self) -> int:
        return await self.records.size()

    async def summary(self) -> str:
        """Return the text of the newest summary, "" if there is none."""
        entry = await self.records.summary()
        return summary_text(entry) if entry else ""

    async def set_summary(self, text: str, covered: Sequence[ConversationMessage]) -> None:
        """Store a summary of the first messages of the conversation. It replaces the earlier summary, which `text`
        must contain.
        """
        known = await self.records.summary()
        start = known["content"]["covers"]["from"] if known else min(each.seq for each in covered)
        level = int(str(known.get("metadata", {})["level"])) + 1 if known else 1
        covers = {"from": start, "to": max(each.seq for each in covered)}
        await self.records.store_summary(text, covers, [each.key_hash for each in covered], level)


def record_content(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as the content of a record.

    Raises:
        TypeError: For an unknown role, or content that is neither a text, a list of parts nor None.
    """
    if not isinstance(message, Mapping) or message.get("role") not in ROLES:
        raise TypeError(f"a message must have one of the roles {', '.join(ROLES)}, got {message!r:.100}")
    content = message.get("content")
    if not (content is None or isinstance(content, (str, list))):
        raise TypeError(f"`content` of a message must be a text, a list of parts or None, got {type(content).__name__}")
    fields = {name: value for name, value in message.items() if value is not None and name not in ("id", "content")}
    if "tool_calls" in fields:
        fields["tool_calls"] = [_flat_call(call) for call in fields["tool_calls"]]
    return {**fields, "content": content}


def _flat_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Store name and arguments of a call flat, as in the specification."""
    function = call.get("function")
    if not isinstance(function, Mapping):
        return dict(call)
    return {**{name: value for name, value in call.items() if name != "function"}, **function}


def read_message(entry: MemoryEntry) -> ConversationMessage:
    marks: Any = entry.get("metadata", {}).get("marks", [])
    created = entry["timestamps"]["created"]
    return ConversationMessage(id_of(entry), dict(entry["content"]), entry["seq"], created, tuple(marks), entry["key_hash"])


def summary_text(entry: MemoryEntry) -> str:
    """Format a summary as text: requests, summary, facts and open threads, each under a heading."""
    content: Any = entry["content"]
    sections = [
        ("Requests so far", content.get("user_requests", "")),
        ("What happened", content["text"]),
        ("Facts to keep", "\n".join(f"- {fact}" for fact in content["key_facts"])),
        ("Open", "\n".join(f"- {thread}" for thread in content["open_threads"])),
    ]
    given = [(heading, body) for heading, body in sections if body]
    if [heading for heading, _ in given] == ["What happened"]:
        return str(content["text"])
    return "\n\n".join(f"{heading}:\n{body}" for heading, body in given)
