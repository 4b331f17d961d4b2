"""The messages of a conversation as a memory of AgentScope 1."""

from __future__ import annotations

from typing import Any, Iterable, Union

from agentscope.memory import MemoryBase
from agentscope.message import Msg

from .._conversation_records import ConversationRecords, duplicate_of, id_of, indexed_text
from .._schema import MemoryEntry, MemoryTier
from ..aio import AsyncAgentMemory
from ..errors import ConflictError
from ._messages import Messages

#: Maximum number of attempts to mark messages that are changed concurrently.
_MARK_ATTEMPTS = 8
#: Messages by id, or by index from 0.
Selection = Union[int, str, Iterable[Union[int, str]]]


class MembusMemory(MemoryBase):
    """The working memory of an agent: the durable messages of one conversation, of any length.

    Messages are records of the protocol (protocol/spec/07-records.md) in the namespace `conversations`, which
    JavaScript agents share. Marks are stored with each message. `state_dict` names the conversation and contains the
    summary, because the messages are stored in membus.

    Raises:
        ValueError: If the conversation is not a non-empty string.
    """

    def __init__(self, memory: AsyncAgentMemory, conversation: str, *, tier: MemoryTier = "episodic") -> None:
        super().__init__()
        self._stored = ConversationRecords(memory, conversation, tier)
        self._compressed_summary: str = ""
        #: Messages of a loaded state with their marks. The next call stores them.
        self._loaded: list[tuple[Msg, list[str]]] = []

    async def add(
        self, memories: Messages, marks: str | list[str] | None = None, allow_duplicates: bool = False, **_: Any
    ) -> None:
        """Append messages. A message with a known id is skipped unless duplicates are allowed."""
        names = [] if marks is None else _texts(marks, "marks")
        given = [memories] if isinstance(memories, Msg) else memories or []
        records = await self._records()
        known = {id_of(entry) for entry in await records.of_ids([message.id for message in given])}
        added = []
        for message in given:
            entry = records.entry(message.id, _content(message), names)
            if message.id not in known:
                added.append(entry)
            elif allow_duplicates:
                added.append(duplicate_of(entry))
            known.add(message.id)
        # After a conflict, another process has added the message concurrently.
        await records.store(added)

    async def delete(self, msg_ids: Selection, **_: Any) -> int:
        """Delete messages by id, or by index from 0 in the order of `get_memory`. Return the number of deleted
        messages.

        Raises:
            IndexError: If there is no message at an index. Nothing is deleted.
        """
        selected = [msg_ids] if isinstance(msg_ids, (int, str)) else [*msg_ids]
        records = await self._records()
        indexes = {each for each in selected if isinstance(each, int)}
        ids = [each for each in selected if isinstance(each, str)]
        if not indexes:
            return await records.forget_ids(ids)
        entries = await records.messages()
        missing = [index for index in indexes if not 0 <= index < len(entries)]
        if missing:
            raise IndexError(f"there is no message at index {missing[0]}: the memory has {len(entries)} messages")
        keys = [entries[index]["key"]["message"] for index in sorted(indexes)]
        deleted = await records.forget_where([{"field": "key.message", "op": "in", "value": keys}])
        return deleted + (await records.forget_ids(ids) if ids else 0)

    async def delete_by_mark(self, mark: str | list[str], *_: Any, **__: Any) -> int:
        """Delete messages with one of the marks. Return the number of deleted messages."""
        marks = _texts(mark, "mark")
        records = await self._records()
        return await records.forget_where([{"field": "metadata.marks", "op": "in", "value": marks}]) if marks else 0

    async def retrieve(self, query: str | Messages, limit: int = 5, **_: Any) -> list[Msg]:
        """Return at most `limit` messages by relevance to a text, or to the text of messages, best first."""
        messages = [query] if isinstance(query, Msg) else query or []
        text = query if isinstance(query, str) else "\n".join(message.get_text_content() or "" for message in messages)  # type: ignore[union-attr]
        records = await self._records()
        return [_message(entry) for entry in await records.search(text, limit)] if text.strip() else []

    async def size(self) -> int:
        return await (await self._records()).size()

    async def clear(self) -> None:
        """Delete all messages. The summary is kept, as in the memories of AgentScope."""
        await (await self._records()).forget_where([])

    async def get_memory(
        self, mark: str | None = None, exclude_mark: str | None = None, prepend_summary: bool = True, **_: Any
    ) -> list[Msg]:
        """Return the messages with `mark` and without `exclude_mark` in order, preceded by the summary if there is one."""
        for name, value in (("mark", mark), ("exclude_mark", exclude_mark)):
            if not (value is None or isinstance(value, str)):
                raise TypeError(f"The {name} should be a string or None, but got {type(value)}.")
        records = await self._records()
        messages = [_message(entry) for entry in await records.messages(_marked(mark, exclude_mark))]
        summary = await self._summary() if prepend_summary else ""
        return [Msg("user", summary, "user"), *messages] if summary else messages

    async def update_compressed_summary(self, summary: str) -> None:
        """Store a summary of the conversation, which other processes share."""
        await super().update_compressed_summary(summary)
        await (await self._records()).store_summary(summary)

    async def update_messages_mark(
        self, new_mark: str | None, old_mark: str | None = None, msg_ids: list[str] | None = None
    ) -> int:
        """Replace `old_mark` with `new_mark`, or remove it if `new_mark` is None. Return the number of changed
        messages.
        """
        where = _marked(old_mark, None)
        records = await self._records()
        entries = await (records.messages(where) if msg_ids is None else records.of_ids(msg_ids, where))
        changed = 0
        for _ in range(_MARK_ATTEMPTS):
            changed += sum(_is_counted(_marks(entry), new_mark, old_mark) for entry in entries)
            left = await self._mark(records, entries, new_mark, old_mark)
            if not left:
                return changed
            changed -= sum(_is_counted(_marks(entry), new_mark, old_mark) for entry in left)
            entries = await records.of_ids([entry["key"]["message"] for entry in left], where)
        raise ConflictError("the marks of these messages are changed concurrently by others: try again later")

    def state_dict(self) -> dict[str, Any]:
        """Return the name of the conversation and the summary. Messages of a loaded state are included until a call has
        stored them.
        """
        loaded = [[message.to_dict(), marks] for message, marks in self._loaded]
        state = {**super().state_dict(), "_compressed_summary": self._compressed_summary}
        return {**state, "conversation": self._stored.conversation, **({"content": loaded} if loaded else {})}

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True) -> None:
        """Load the state of this conversation, or of an `InMemoryMemory`. The messages of the latter are added to the
        conversation by the next call, except for those with a known id.

        Raises:
            KeyError: If `strict` is set and the state has neither messages nor a conversation.
            ValueError: If the state belongs to another conversation, or has an invalid item. Nothing is loaded.
        """
        if strict and not {"content", "conversation"} & state_dict.keys():
            raise KeyError("the state has neither `content`, as of an InMemoryMemory, nor `conversation`")
        named = state_dict.get("conversation", self._stored.conversation)
        if named != self._stored.conversation:
            raise ValueError(f"the state belongs to the conversation {named!r}, this memory to {self._stored.conversation!r}")
        self._loaded = [_loaded(item) for item in state_dict.get("content", [])]
        self._compressed_summary = state_dict.get("_compressed_summary", "")

    async def _records(self) -> ConversationRecords:
        """Return the records, after messages of a loaded state are stored."""
        if self._loaded:
            loaded = self._loaded
            known = {id_of(entry) for entry in await self._stored.of_ids([message.id for message, _ in loaded])}
            added: list[dict[str, Any]] = []
            for message, marks in loaded:
                entry = self._stored.entry(message.id, _content(message), marks)
                is_repeated = any(other["key"] == entry["key"] for other in added)
                if message.id not in known:
                    added.append(duplicate_of(entry) if is_repeated else entry)
            await self._stored.store(added)
            if self._compressed_summary:
                await self._stored.store_summary(self._compressed_summary)
            self._loaded = [] if self._loaded is loaded else self._loaded
        return self._stored

    async def _mark(
        self, records: ConversationRecords, entries: list[MemoryEntry], new_mark: str | None, old_mark: str | None
    ) -> list[MemoryEntry]:
        """Change marks. Return the entries that were changed concurrently."""
        updated = [(entry, _replace_mark(_marks(entry), new_mark, old_mark)) for entry in entries]
        changed = [(entry, marks) for entry, marks in updated if marks != _marks(entry)]
        conflicts = await records.store([_with_marks(entry, marks) for entry, marks in changed])
        return [changed[error["index"]][0] for error in conflicts]

    async def _summary(self) -> str:
        if not self._compressed_summary:
            entry = await self._stored.summary()
            self._compressed_summary = entry["content"]["text"] if entry else ""
        return self._compressed_summary


def _texts(value: str | list[str], name: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"The {name} should be a string or a list of strings, but got {type(value)}.")
    return texts


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
    return {**entry, "metadata": metadata, "text": indexed_text(entry["content"]["content"]), "if_revision": entry["revision"]}


def _content(message: Msg) -> dict[str, Any]:
    """Return the content of the record of a message."""
    fields = message.to_dict()
    name = {"name": message.name} if message.name else {}
    return {
        "role": fields["role"],
        "content": fields["content"],
        **name,
        "timestamp": fields["timestamp"],
        "metadata": fields["metadata"],
    }


def _loaded(item: Any) -> tuple[Msg, list[str]]:
    """Return an item of the state of an `InMemoryMemory`: a message with marks, or only a message."""
    fields, marks = item if isinstance(item, (list, tuple)) and len(item) == 2 else (item, [])
    if not isinstance(fields, dict):
        raise ValueError(f"the state has an item that is not a message: {item!r:.200}")
    return Msg.from_dict(fields), [*marks]


def _message(entry: MemoryEntry) -> Msg:
    content: Any = entry["content"]
    role = content["role"] if content["role"] in ("user", "assistant", "system") else "assistant"
    message = Msg(content.get("name", ""), content["content"] or "", role, content.get("metadata"), content.get("timestamp"))
    message.id = id_of(entry)
    return message
