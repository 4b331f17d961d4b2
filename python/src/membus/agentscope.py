"""The memories of AgentScope 1.0: what is said in a conversation, and what is known for longer. Needs agentscope 1.0.21.

    agent = ReActAgent(..., memory=MembusMemory(memory, "c-1"), long_term_memory=MembusLongTermMemory(memory, user_name="alice"))

For AgentScope 2 there is `membus.mem0`.
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
from ._mem0_filters import about_of, entities_of, namespace_of
from ._parts import read_whole, store_whole
from ._schema import LIMITS, MemoryEntry, MemoryTier
from .aio import AsyncMemory
from .errors import ConflictError, MembusError, TooLargeError, error_of
from .mem0 import Extract, Mem0Memory

_NAMESPACE = "conversations"
_IS_SUMMARY = {"field": "metadata.kind", "op": "eq", "value": "summary"}
#: How often marks are put again on messages that another changes meanwhile.
_MARK_ATTEMPTS = 8
Messages = Union[Msg, "list[Msg]", None]


class MembusMemory(MemoryBase):
    """The working memory of an agent: the messages of one conversation, of any length, where they survive the process.

    They are records of the protocol (protocol/spec/07-records.md), in the namespace `conversations`: an agent in JavaScript opens the
    same conversation. Marks stand beside each message. `state_dict` has the summary alone; the messages are in membus.
    Raises `ValueError` for a conversation that is no text, or an empty one.
    """

    def __init__(self, memory: AsyncMemory, conversation: str, *, tier: MemoryTier = "episodic") -> None:
        super().__init__()
        if not isinstance(conversation, str) or not conversation:
            raise ValueError(f"conversation must be a name, got {conversation!r}")
        require_tier(tier)
        self._compressed_summary: str = ""
        self._memory = memory.in_namespace(_NAMESPACE)
        self._conversation = conversation
        self._tier: MemoryTier = tier

    async def add(
        self, memories: Messages, marks: str | list[str] | None = None, allow_duplicates: bool = False, **_: Any
    ) -> None:
        """Adds messages behind those that are there; one whose id is there only where duplicates are allowed."""
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
            # Another has added it meanwhile.
            if error["code"] != "conflict":
                raise error_of(error)

    async def delete(self, msg_ids: list[str], **_: Any) -> int:
        """How many there were of these ids."""
        return await self._forget(msg_ids, lambda some: [_are(some)])

    async def delete_by_mark(self, mark: str | list[str], *_: Any, **__: Any) -> int:
        """How many messages had one of the marks."""
        marks = _texts(mark, "mark")
        return await self._forget_where([{"field": "metadata.marks", "op": "in", "value": marks}]) if marks else 0

    async def size(self) -> int:
        page = await self._memory.retrieve(tier=self._tier, group=self._conversation, where=_all([]), limit=0)
        return page["total"]

    async def clear(self) -> None:
        """Forgets the messages; the summary stays, as in AgentScope's own memories."""
        await self._forget_where([])

    async def get_memory(
        self, mark: str | None = None, exclude_mark: str | None = None, prepend_summary: bool = True, **_: Any
    ) -> list[Msg]:
        """The messages with `mark` and without `exclude_mark`, in their order, behind the summary if there is one."""
        for name, value in (("mark", mark), ("exclude_mark", exclude_mark)):
            if not (value is None or isinstance(value, str)):
                raise TypeError(f"The {name} should be a string or None, but got {type(value)}.")
        messages = [_message(entry) for entry in await self._messages(_marked(mark, exclude_mark))]
        summary = await self._summary() if prepend_summary else ""
        return [Msg("user", summary, "user"), *messages] if summary else messages

    async def update_compressed_summary(self, summary: str) -> None:
        """Keeps a summary of the conversation, which another process finds, too."""
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
        """Puts `new_mark` on messages in place of `old_mark`; without a new one it takes the old one away. How many were changed."""
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
        raise ConflictError("others go on changing the marks of these messages")

    async def _mark(self, entries: list[MemoryEntry], new_mark: str | None, old_mark: str | None) -> list[MemoryEntry]:
        """Those that somebody else has changed meanwhile."""
        remarked = [(entry, _remarked(_marks(entry), new_mark, old_mark)) for entry in entries]
        changed = [(entry, marks) for entry, marks in remarked if marks != _marks(entry)]
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
        told = message.to_dict()
        name = {"name": message.name} if message.name else {}
        content = {"role": told["role"], "content": told["content"], **name, "timestamp": told["timestamp"]}
        return {
            "key": {"conversation": self._conversation, "message": message.id},
            "content": {**content, "metadata": told["metadata"]},
            "metadata": {"kind": "message", "role": told["role"], **name, **({"marks": marks} if marks else {})},
            **self._place,
            "text": _said(told["content"]),
            "if_revision": 0,
        }

    async def _messages(self, where: list[Any]) -> list[MemoryEntry]:
        request: Any = {**self._place, "where": _all(where), "order": "oldest"}
        return await read_whole(self._memory, [entry async for entry in self._memory.entries(**request)])

    async def _of_ids(self, ids: list[str], where: list[Any]) -> list[MemoryEntry]:
        """Messages of any number of ids, those that have an id twice included."""
        distinct = [*dict.fromkeys(ids)]
        return [entry for some in chunks(distinct, LIMITS["listElements"]) for entry in await self._messages([_are(some), *where])]

    async def _sequence(self, order: Literal["oldest", "newest"]) -> int:
        """Of the first or the last message; 0 where there is none."""
        request: Any = {**self._place, "where": _all([]), "order": order, "limit": 1}
        entries = [entry async for entry in self._memory.entries(**request)]
        return entries[0]["seq"] if entries else 0

    async def _forget_as_read(self, entries: list[MemoryEntry]) -> None:
        """What another process stores meanwhile stays: of two that forget each other's summaries none would be left."""
        latest = max((entry["timestamps"]["updated"] for entry in entries), default=0)
        criteria = {"tier": self._tier, "where": {"field": "updated", "op": "lte", "value": latest}}
        keys = [entry["key"] for entry in entries]
        await forget_cascading(self._memory, keys, LIMITS["criteriaKeys"], lambda some: {**criteria, "keys": some})

    async def _forget_where(self, where: list[Any]) -> int:
        """Those that are there now; where a cascade does not take as many at once, by their keys."""
        request: Any = {**self._place, "where": _all(where)}
        try:
            return await forget_derived(self._memory, request)
        except TooLargeError:
            pass
        keys = [entry["key"]["message"] async for entry in self._memory.entries(**request)]
        return await self._forget(keys, lambda some: [{"field": "key.message", "op": "in", "value": some}, *where])

    async def _forget(self, ids: list[str], where: Callable[[list[str]], list[Any]]) -> int:
        """The parts of messages go with them, and are counted by none."""
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
    """What an agent knows about a user, an agent or a run across conversations: facts, as of `membus.mem0`.

    At least one of the names is needed, and none is `*`; the first that is given of user, agent and run is as long as `Mem0Memory` lets
    it. `extract` finds the facts in messages; without it they are remembered as they are.
    """

    def __init__(
        self,
        memory: AsyncMemory,
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
            raise ValueError("at least one of agent_name, user_name and run_name is needed")
        namespace_of(about_of(entities_of(self._ids)))
        self._facts = Mem0Memory(memory, extract=extract)

    async def record(self, msgs: list[Msg | None], infer: bool = True, **_: Any) -> dict[str, Any]:
        """Remembers what the messages say."""
        messages = [msgs] if isinstance(msgs, Msg) else msgs
        said = [{"role": message.role, "content": message.get_text_content() or ""} for message in messages if message]
        return await self._facts.add(said, infer=infer, **self._ids)

    async def retrieve(self, msg: Messages, limit: int = 5, **_: Any) -> str:
        """What is known that answers the messages, a line each; at most `limit` for each message."""
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
            said = [{"role": "assistant", "content": text} for text in content]
            added = await self._facts.add(said, infer=False, **self._ids)
            return _told("\n".join(f"Remembered: {each['memory']}" for each in added["results"]))
        except MembusError as error:
            return _told(f"Error recording memory: {error}")

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
            return _told("\n".join(await self._search(keywords, limit)))
        except MembusError as error:
            return _told(f"Error retrieving memory: {error}")

    async def _search(self, queries: Iterable[str], limit: int) -> list[str]:
        """Each memory once, those of the first query first."""
        searches = [self._facts.search(query, filters=self._ids, top_k=limit) for query in queries if query]
        found = [item["memory"] for result in await asyncio.gather(*searches) for item in result["results"]]
        return list(dict.fromkeys(found))


def _duplicate(entry: dict[str, Any]) -> dict[str, Any]:
    """The same message once more: under a key of its own that says whose id it has."""
    id = entry["key"]["message"]
    key = {**entry["key"], "message": f"{id}.{uuid.uuid4()}"}
    return {**entry, "key": key, "metadata": {**entry["metadata"], "same_as": id}}


def _told(text: str) -> ToolResponse:
    return ToolResponse(content=[TextBlock(type="text", text=text)])


def _texts(value: str | list[str], name: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"The {name} should be a string or a list of strings, but got {type(value)}.")
    return texts


def _all(where: list[Any]) -> Any:
    return {"all": [{"field": "metadata.kind", "op": "eq", "value": "message"}, *where]}


def _are(ids: list[str]) -> dict[str, Any]:
    return {"any": [{"field": field, "op": "in", "value": ids} for field in ("key.message", "metadata.same_as")]}


def _marked(mark: str | None, exclude_mark: str | None) -> list[Any]:
    having = {"field": "metadata.marks", "op": "eq", "value": mark}
    without = {"not": {"field": "metadata.marks", "op": "eq", "value": exclude_mark}}
    return [*([] if mark is None else [having]), *([] if exclude_mark is None else [without])]


def _marks(entry: MemoryEntry) -> list[str]:
    marks: Any = entry.get("metadata", {}).get("marks", [])
    return list(marks)


def _remarked(marks: list[str], new: str | None, old: str | None) -> list[str]:
    kept = [mark for mark in marks if mark != old]
    return kept if new is None or new in kept else [*kept, new]


def _is_counted(marks: list[str], new: str | None, old: str | None) -> bool:
    """AgentScope counts messages that lost a mark or got a new one, and not those that had the new one already."""
    return old in marks if new is None else new not in [mark for mark in marks if mark != old]


def _with_marks(entry: MemoryEntry, marks: list[str]) -> dict[str, Any]:
    others = {name: value for name, value in entry.get("metadata", {}).items() if name != "marks"}
    metadata = {**others, "marks": marks} if marks else others
    return {**entry, "metadata": metadata, "text": _said(entry["content"]["content"]), "if_revision": entry["revision"]}


def _said(content: Any) -> str | None:
    """What of a message is found by its words; None: what the host derives of it."""
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
