"""Memories for AgentScope 1.0: the messages of a conversation, and long-term facts. Requires agentscope 1.0.21.

    agent = ReActAgent(..., memory=MembusMemory(memory, "c-1"), long_term_memory=MembusLongTermMemory(memory,
    user_name="alice"))

For AgentScope 2, use `membus.mem0`.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any, Callable, Iterable, Literal, Union

from agentscope.memory import LongTermMemoryBase, MemoryBase
from agentscope.message import Msg, TextBlock
from agentscope.tool import ToolResponse

from ._batches import chunks, forget_cascading, forget_derived
from ._identity import require_tier
from ._mem0_filters import subject_of, entities_of, namespace_of
from ._parts import read_whole, store_whole
from ._schema import LIMITS, MemoryEntry, MemoryTier
from .aio import AsyncAgentMemory
from .errors import ConflictError, MembusError, TooLargeError, error_of
from .mem0 import Extract, Mem0Memory

_NAMESPACE = "conversations"
_IS_SUMMARY = {"field": "metadata.kind", "op": "eq", "value": "summary"}
#: Maximum number of attempts to mark messages that are changed concurrently.
_MARK_ATTEMPTS = 8
Messages = Union[Msg, "list[Msg]", None]


class MembusMemory(MemoryBase):
    """The working memory of an agent: the durable messages of one conversation, of any length.

    Messages are records of the protocol (protocol/spec/07-records.md) in the namespace `conversations`, which
    JavaScript agents share. Marks are stored with each message. `state_dict` contains only the summary, because the
    messages are stored in membus.

    Raises:
        ValueError: If the conversation is not a non-empty string.
    """

    def __init__(self, memory: AsyncAgentMemory, conversation: str, *, tier: MemoryTier = "episodic") -> None:
        super().__init__()
        if not isinstance(conversation, str) or not conversation:
            raise ValueError(f"conversation must be a non-empty string, got {conversation!r}")
        require_tier(tier)
        self._compressed_summary: str = ""
        self._memory = memory.in_namespace(_NAMESPACE)
        self._conversation = conversation
        self._tier: MemoryTier = tier

    async def add(
        self, memories: Messages, marks: str | list[str] | None = None, allow_duplicates: bool = False, **_: Any
    ) -> None:
        """Append messages. A message with a known id is skipped unless duplicates are allowed."""
        names = [] if marks is None else _texts(marks, "marks")
        given = [memories] if isinstance(memories, Msg) else memories or []
        known = {_id(entry) for entry in await self._of_ids([message.id for message in given], [])}
        added = []
        for message in given:
            entry = self._entry(message, names)
            if message.id not in known:
                added.append(entry)
            elif allow_duplicates:
                added.append(_duplicate(entry))
            known.add(message.id)
        for error in await store_whole(self._memory, added) if added else ():
            # Another process has added it concurrently.
            if error["code"] != "conflict":
                raise error_of(error)

    async def delete(self, msg_ids: list[str], **_: Any) -> int:
        """Delete messages by id. Return the number of deleted messages."""
        return await self._forget(msg_ids, lambda some: [_has_id(some)])

    async def delete_by_mark(self, mark: str | list[str], *_: Any, **__: Any) -> int:
        """Delete messages with one of the marks. Return the number of deleted messages."""
        marks = _texts(mark, "mark")
        return await self._forget_where([{"field": "metadata.marks", "op": "in", "value": marks}]) if marks else 0

    async def size(self) -> int:
        page = await self._memory.retrieve(tier=self._tier, group=self._conversation, where=_all([]), limit=0)
        return page["total"]

    async def clear(self) -> None:
        """Delete all messages. The summary is kept, as in the memories of AgentScope."""
        await self._forget_where([])

    async def get_memory(
        self, mark: str | None = None, exclude_mark: str | None = None, prepend_summary: bool = True, **_: Any
    ) -> list[Msg]:
        """Return the messages with `mark` and without `exclude_mark` in order, preceded by the summary if there is one."""
        for name, value in (("mark", mark), ("exclude_mark", exclude_mark)):
            if not (value is None or isinstance(value, str)):
                raise TypeError(f"The {name} should be a string or None, but got {type(value)}.")
        messages = [_message(entry) for entry in await self._messages(_marked(mark, exclude_mark))]
        summary = await self._summary() if prepend_summary else ""
        return [Msg("user", summary, "user"), *messages] if summary else messages

    async def update_compressed_summary(self, summary: str) -> None:
        """Store a summary of the conversation, which other processes share."""
        await super().update_compressed_summary(summary)
        covers = {"from": await self._sequence("oldest"), "to": await self._sequence("newest")}
        content = {"text": summary, "key_facts": [], "open_threads": [], "covers": covers}
        key = {"conversation": self._conversation, "summary": str(covers["to"])}
        entry = {"key": key, "content": content, "metadata": {"kind": "summary", "level": 1, **covers}, **self._place}
        request: Any = {**self._place, "where": _IS_SUMMARY}
        known = [other async for other in self._memory.entries(**request)]
        for error in await store_whole(self._memory, [entry], replacing=True):
            raise error_of(error)
        await self._forget_as_read([other for other in known if other["key"] != key])

    async def update_messages_mark(
        self, new_mark: str | None, old_mark: str | None = None, msg_ids: list[str] | None = None
    ) -> int:
        """Replace `old_mark` with `new_mark`, or remove it if `new_mark` is None. Return the number of changed
        messages.
        """
        where = _marked(old_mark, None)
        entries = await self._messages(where) if msg_ids is None else await self._of_ids(msg_ids, where)
        changed = 0
        for _ in range(_MARK_ATTEMPTS):
            changed += sum(_is_counted(_marks(entry), new_mark, old_mark) for entry in entries)
            left = await self._mark(entries, new_mark, old_mark)
            if not left:
                return changed
            changed -= sum(_is_counted(_marks(entry), new_mark, old_mark) for entry in left)
            entries = await self._of_ids([entry["key"]["message"] for entry in left], where)
        raise ConflictError("the marks of these messages are changed concurrently by others: try again later")

    async def _mark(self, entries: list[MemoryEntry], new_mark: str | None, old_mark: str | None) -> list[MemoryEntry]:
        """Change marks. Return the entries that were changed concurrently."""
        updated = [(entry, _replace_mark(_marks(entry), new_mark, old_mark)) for entry in entries]
        changed = [(entry, marks) for entry, marks in updated if marks != _marks(entry)]
        left = []
        for error in await store_whole(self._memory, [_with_marks(entry, marks) for entry, marks in changed]) if changed else ():
            if error["code"] != "conflict":
                raise error_of(error)
            left.append(changed[error["index"]][0])
        return left

    @property
    def _place(self) -> dict[str, Any]:
        return {"tier": self._tier, "group": self._conversation}

    def _entry(self, message: Msg, marks: list[str]) -> dict[str, Any]:
        fields = message.to_dict()
        name = {"name": message.name} if message.name else {}
        content = {"role": fields["role"], "content": fields["content"], **name, "timestamp": fields["timestamp"]}
        return {
            "key": {"conversation": self._conversation, "message": message.id},
            "content": {**content, "metadata": fields["metadata"]},
            "metadata": {"kind": "message", "role": fields["role"], **name, **({"marks": marks} if marks else {})},
            **self._place,
            "text": _text_of(fields["content"]),
            "if_revision": 0,
        }

    async def _messages(self, where: list[Any]) -> list[MemoryEntry]:
        request: Any = {**self._place, "where": _all(where), "order": "oldest"}
        return await read_whole(self._memory, [entry async for entry in self._memory.entries(**request)])

    async def _of_ids(self, ids: list[str], where: list[Any]) -> list[MemoryEntry]:
        """Return messages by any number of ids, including duplicates of an id."""
        distinct = [*dict.fromkeys(ids)]
        return [entry for some in chunks(distinct, LIMITS["listElements"]) for entry in await self._messages([_has_id(some), *where])]

    async def _sequence(self, order: Literal["oldest", "newest"]) -> int:
        """Return the sequence number of the first or last message, 0 if there are none."""
        request: Any = {**self._place, "where": _all([]), "order": order, "limit": 1}
        entries = [entry async for entry in self._memory.entries(**request)]
        return entries[0]["seq"] if entries else 0

    async def _forget_as_read(self, entries: list[MemoryEntry]) -> None:
        """Forget entries unless they were changed since they were read. Otherwise two processes could forget each
        other's summaries.
        """
        latest = max((entry["timestamps"]["updated"] for entry in entries), default=0)
        criteria = {"tier": self._tier, "where": {"field": "updated", "op": "lte", "value": latest}}
        keys = [entry["key"] for entry in entries]
        await forget_cascading(self._memory, keys, LIMITS["criteriaKeys"], lambda some: {**criteria, "keys": some})

    async def _forget_where(self, where: list[Any]) -> int:
        """Forget matching messages. If the cascade exceeds its limit, forget them by key."""
        request: Any = {**self._place, "where": _all(where)}
        try:
            return await forget_derived(self._memory, request)
        except TooLargeError:
            pass
        keys = [entry["key"]["message"] async for entry in self._memory.entries(**request)]
        return await self._forget(keys, lambda some: [{"field": "key.message", "op": "in", "value": some}, *where])

    async def _forget(self, ids: list[str], where: Callable[[list[str]], list[Any]]) -> int:
        """Forget messages with their parts. Parts are not counted."""
        return await forget_cascading(
            self._memory, ids, LIMITS["listElements"], lambda some: {**self._place, "where": _all(where(some))}
        )

    async def _summary(self) -> str:
        if not self._compressed_summary:
            latest: Any = {"group": self._conversation, "where": _IS_SUMMARY, "order": "newest", "limit": 1}
            page = await self._memory.retrieve(tier=self._tier, **latest)
            for entry in await read_whole(self._memory, page["entries"]):
                self._compressed_summary = entry["content"]["text"]
        return self._compressed_summary


class MembusLongTermMemory(LongTermMemoryBase):
    """Facts about a user, an agent or a run across conversations, stored with `membus.mem0`.

    At least one name is required, and none may be `*`. The first one given of user, agent and run has the length limit
    of `Mem0Memory`. `extract` finds the facts in messages. Without it, messages are stored unchanged.
    """

    def __init__(
        self,
        memory: AsyncAgentMemory,
        *,
        agent_name: str | None = None,
        user_name: str | None = None,
        run_name: str | None = None,
        extract: Extract | None = None,
    ) -> None:
        super().__init__()
        names = {"user_id": user_name, "agent_id": agent_name, "run_id": run_name}
        self._ids: dict[str, Any] = {name: value for name, value in names.items() if value is not None}
        if not self._ids:
            raise ValueError("at least one of agent_name, user_name and run_name is required")
        namespace_of(subject_of(entities_of(self._ids)))
        self._facts = Mem0Memory(memory, extract=extract)

    async def record(self, msgs: list[Msg | None], infer: bool = True, **_: Any) -> dict[str, Any]:
        """Store the facts of messages."""
        messages = [msgs] if isinstance(msgs, Msg) else msgs
        texts = [{"role": message.role, "content": message.get_text_content() or ""} for message in messages if message]
        return await self._facts.add(texts, infer=infer, **self._ids)

    async def retrieve(self, msg: Messages, limit: int = 5, **_: Any) -> str:
        """Return memories relevant to the messages, one per line, at most `limit` for each message."""
        messages = [msg] if isinstance(msg, Msg) else msg or []
        return "\n".join(await self._search([message.get_text_content() or "" for message in messages], limit))

    async def record_to_memory(self, thinking: str, content: list[str], **_: Any) -> ToolResponse:
        """Use this function to record important information that you may need later. The target content should be specific and
        concise, e.g. who, when, where, do what, why, how, etc.

        Args:
            thinking (`str`):
                Your thinking and reasoning about what to record.
            content (`list[str]`):
                The content to remember, which is a list of strings.
        """
        try:
            texts = [{"role": "assistant", "content": text} for text in content]
            added = await self._facts.add(texts, infer=False, **self._ids)
            return _tool_response("\n".join(f"Remembered: {each['memory']}" for each in added["results"]))
        except MembusError as error:
            return _tool_response(f"Error recording memory: {error}")

    async def retrieve_from_memory(self, keywords: list[str], limit: int = 5, **_: Any) -> ToolResponse:
        """Retrieve the memory based on the given keywords.

        Args:
            keywords (`list[str]`):
                The keywords to search for in the memory, which should be specific and concise, e.g. the person's name, the date,
                the location, etc.
            limit (`int`, optional):
                The maximum number of memories to retrieve per keyword. Defaults to 5.
        """
        try:
            return _tool_response("\n".join(await self._search(keywords, limit)))
        except MembusError as error:
            return _tool_response(f"Error retrieving memory: {error}")

    async def _search(self, queries: Iterable[str], limit: int) -> list[str]:
        """Return distinct memories, those of the first query first."""
        searches = [self._facts.search(query, filters=self._ids, top_k=limit) for query in queries if query]
        found = [item["memory"] for result in await asyncio.gather(*searches) for item in result["results"]]
        return list(dict.fromkeys(found))


def _duplicate(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the message with a new key and a reference to its id."""
    id = entry["key"]["message"]
    key = {**entry["key"], "message": f"{id}.{uuid.uuid4()}"}
    return {**entry, "key": key, "metadata": {**entry["metadata"], "same_as": id}}


def _tool_response(text: str) -> ToolResponse:
    return ToolResponse(content=[TextBlock(type="text", text=text)])


def _texts(value: str | list[str], name: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"The {name} should be a string or a list of strings, but got {type(value)}.")
    return texts


def _all(where: list[Any]) -> Any:
    return {"all": [{"field": "metadata.kind", "op": "eq", "value": "message"}, *where]}


def _has_id(ids: list[str]) -> dict[str, Any]:
    return {"any": [{"field": field, "op": "in", "value": ids} for field in ("key.message", "metadata.same_as")]}


def _marked(mark: str | None, exclude_mark: str | None) -> list[Any]:
    having = {"field": "metadata.marks", "op": "eq", "value": mark}
    without = {"not": {"field": "metadata.marks", "op": "eq", "value": exclude_mark}}
    return [*([] if mark is None else [having]), *([] if exclude_mark is None else [without])]


def _marks(entry: MemoryEntry) -> list[str]:
    marks: Any = entry.get("metadata", {}).get("marks", [])
    return list(marks)


def _replace_mark(marks: list[str], new: str | None, old: str | None) -> list[str]:
    kept = [mark for mark in marks if mark != old]
    return kept if new is None or new in kept else [*kept, new]


def _is_counted(marks: list[str], new: str | None, old: str | None) -> bool:
    """Return whether AgentScope counts a message: if it lost a mark or got a new one, but not if it already had the new
    mark.
    """
    return old in marks if new is None else new not in [mark for mark in marks if mark != old]


def _with_marks(entry: MemoryEntry, marks: list[str]) -> dict[str, Any]:
    others = {name: value for name, value in entry.get("metadata", {}).items() if name != "marks"}
    metadata = {**others, "marks": marks} if marks else others
    return {**entry, "metadata": metadata, "text": _text_of(entry["content"]["content"]), "if_revision": entry["revision"]}


def _text_of(content: Any) -> str | None:
    """Return the searchable text of a message. With None, the host derives it."""
    text = content if isinstance(content, str) else "\n".join(str(part["text"]) for part in content or () if "text" in part)
    return text[: LIMITS["derivedTextLength"]] or None


def _message(entry: MemoryEntry) -> Msg:
    content: Any = entry["content"]
    role = content["role"] if content["role"] in ("user", "assistant", "system") else "assistant"
    message = Msg(content.get("name", ""), content["content"] or "", role, content.get("metadata"), content.get("timestamp"))
    message.id = _id(entry)
    return message


def _id(entry: MemoryEntry) -> str:
    return str(entry.get("metadata", {}).get("same_as", entry["key"]["message"]))
