"""Memory, LongTermMemory, Conversation and ContextWindow for programs with threads.

Generated from the modules of the asyncio classes by `npm run generate`. Do not edit.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from ._budget import Budget
from ._chat_model import ChatModel
from ._forget_user import ForgottenUser
from ._memories import LongTermItem, Recall, RecordOutcome, estimate_tokens
from ._schema import MemoryTier
from .context import AsyncContextWindow, CountTokens, Message
from .conversation import AsyncConversation, ConversationMessage, NewMessages
from .long_term import RECALLED_KINDS, AsyncLongTermMemory, Recordable
from .memory import AddedToMemory, AsyncMemory, MemoryInput
from .sync import AgentMemory


class Conversation:
    """The durable messages of one conversation, of any length. A message has `role` and `content` as for a model, and
    optionally `name`, `tool_calls` and `tool_call_id`.

    Every method raises `MembusError` for an error of the bus or the host.

    Raises:
        ValueError: If the id is not a non-empty string, or the tier is unknown.
    """

    def __init__(self, client: AgentMemory, id: str, *, tier: MemoryTier = "episodic") -> None:
        self._thread = client._thread
        self._memory = AsyncConversation(client._memory, id, tier=tier)

    @property
    def id(self) -> str:
        return self._memory.id

    def add(self, messages: NewMessages) -> list[str]:
        """Append messages, and return their ids. A message may contain its `id`. A known id is not added again.

        Raises:
            TypeError: For an invalid message. Nothing is added.
        """
        return self._thread.run(self._memory.add(messages))

    def get(self, *, last: int | None = None, ids: Sequence[str] | None = None) -> list[ConversationMessage]:
        """Return all messages, the `last` ones, or those with these ids, oldest first."""
        return self._thread.run(self._memory.get(last=last, ids=ids))

    def messages(self) -> list[dict[str, Any]]:
        """Return all messages in the form for a model, oldest first."""
        return self._thread.run(self._memory.messages())

    def search(self, query: str, *, limit: int = 10) -> list[ConversationMessage]:
        """Return messages by relevance to a query, best first. Empty if nothing matches."""
        return self._thread.run(self._memory.search(query, limit=limit))

    def update(self, id: str, patch: Mapping[str, Any]) -> bool:
        """Change fields of a message. None removes an optional field. The position and the marks stay.

        Returns:
            Whether the message exists.

        Raises:
            TypeError: If the changed message is invalid.
            ConflictError: If it is changed concurrently at each attempt.
        """
        return self._thread.run(self._memory.update(id, patch))

    def remove(self, ids: Sequence[str]) -> int:
        """Delete messages, and the summaries that cover them. Return the number of deleted messages."""
        return self._thread.run(self._memory.remove(ids))

    def clear(self) -> int:
        """Delete all messages, summaries and offloaded texts. Return the number of deleted entries."""
        return self._thread.run(self._memory.clear())

    def size(self) -> int:
        return self._thread.run(self._memory.size())

    def summary(self) -> str:
        """Return the text of the newest summary, "" if there is none."""
        return self._thread.run(self._memory.summary())

    def set_summary(self, text: str, covered: Sequence[ConversationMessage]) -> None:
        """Store a summary of the first messages of the conversation. It replaces the earlier summary, which `text`
        must contain.
        """
        return self._thread.run(self._memory.set_summary(text, covered))


class ContextWindow:
    """The newest messages of a conversation within `tokens_max`, after a summary of the older ones.

    With a `model`, older messages are summarized once, and all windows on the conversation share the summary. Without
    one, they are left out. The conversation itself keeps every message.
    """

    def __init__(
        self,
        conversation: Conversation,
        *,
        tokens_max: int = 8_000,
        model: ChatModel | None = None,
        count_tokens: CountTokens = estimate_tokens,
    ) -> None:
        self._thread = conversation._thread
        self._memory = AsyncContextWindow(
            conversation._memory,
            tokens_max=tokens_max,
            model=model,
            count_tokens=count_tokens,
        )

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages for a model, oldest first, with the summary as the first user message.

        A leading system message is always kept. Tool calls stay together with their results.

        Raises:
            ModelError: If the model gives no summary. Nothing is changed.
        """
        return self._thread.run(self._memory.messages())


class LongTermMemory:
    """The memories about one subject, such as `user:ada`, in a namespace of their own.

    Without a `model`, texts are stored unchanged, and the learner (`membus learn`) can extract facts from
    conversations. With a model, `record` extracts facts and replaces facts that are no longer true. The old version
    stays in the history.

    In the shared tier "semantic", memories that no user stated go to the namespace `quarantine/about/<subject>`. They
    are recalled after a person has approved them (`LongTermMemory.promote` in JavaScript).

    Raises:
        ValueError: If the subject is empty or over 64 characters, or the tier is unknown.
    """

    def __init__(
        self, client: AgentMemory, subject: str, *, tier: MemoryTier = "episodic", model: ChatModel | None = None
    ) -> None:
        self._thread = client._thread
        self._memory = AsyncLongTermMemory(client._memory, subject, tier=tier, model=model)

    @property
    def subject(self) -> str:
        return self._memory.subject

    def record(
        self,
        messages: Recordable,
        *,
        infer: bool = True,
        at: float | None = None,
        category: str | None = None,
        sources: Sequence[str] | None = None,
    ) -> list[RecordOutcome]:
        """Store the facts of texts or messages, without instructions and recalled memories.

        A message may have a `name`, which becomes the speaker of its facts, and its time as `at`. Texts over 8,192
        characters are divided.

        Args:
            infer: Whether the model extracts facts. Without a model, and with False, texts are stored unchanged.
            at: Unix seconds from which the facts are true. Default: the `at` of the message, else now.
            sources: Key hashes of the entries that the facts are derived from.

        Raises:
            ModelError: If the model gives no valid answer. Nothing is stored.
            MembusError: If a fact cannot be stored. Earlier facts of the call stay stored.
        """
        return self._thread.run(self._memory.record(messages, infer=infer, at=at, category=category, sources=sources))

    def record_experiences(
        self,
        messages: Recordable,
        *,
        value: float = 1.0,
        when_to_use: str = "",
        infer: bool = True,
        sources: Sequence[str] | None = None,
    ) -> list[RecordOutcome]:
        """Store what was learned from a task. `value` is its success, 0..1. A known experience gets the new value.

        Experiences that no model extracts are found by `when_to_use`, or by their text if it is empty.
        """
        return self._thread.run(
            self._memory.record_experiences(
                messages,
                value=value,
                when_to_use=when_to_use,
                infer=infer,
                sources=sources,
            )
        )

    def record_tool_calls(self, reports: Iterable[Mapping[str, Any] | str]) -> list[str]:
        """Store reports of tool calls, and update the guidelines of their tools.

        A report has `tool_name`, `input`, `output` and `success`, and optionally `create_time` (UTC), `token_cost` and
        `time_cost` (seconds). It may be JSON.

        Returns:
            The ids of the calls. A known call is not counted twice.

        Raises:
            ValueError: For an invalid report. Nothing is stored.
        """
        return self._thread.run(self._memory.record_tool_calls(reports))

    def recall(
        self,
        query: str,
        *,
        limit: int = 5,
        min_score: float = 0.2,
        kinds: Sequence[str] = RECALLED_KINDS,
        since: float | None = None,
        until: float | None = None,
    ) -> Recall:
        """Return current memories that match a query, best first.

        With `since` or `until` (Unix seconds), `min_score` is ignored, and an empty query returns the newest memories of
        that range. Without both, an empty query returns nothing.
        """
        return self._thread.run(
            self._memory.recall(
                query,
                limit=limit,
                min_score=min_score,
                kinds=kinds,
                since=since,
                until=until,
            )
        )

    def items(self, *, limit: int = 100, kinds: Sequence[str] = RECALLED_KINDS) -> list[LongTermItem]:
        """Return the newest current memories."""
        return self._thread.run(self._memory.items(limit=limit, kinds=kinds))

    def history(self, id: str) -> list[LongTermItem]:
        """Return a fact and the facts that it replaced, newest first. Empty if there is no fact with this id."""
        return self._thread.run(self._memory.history(id))

    def forget(self, *, ids: Sequence[str] | None = None, all: bool = False, purge: bool = False) -> int:
        """Delete memories by id, or everything about the subject with `all`, with what was derived from them.

        With `purge`, return once no byte of them is left on disk.

        Raises:
            ValueError: Unless exactly one of `ids` and `all` is given.
        """
        return self._thread.run(self._memory.forget(ids=ids, all=all, purge=purge))


class Memory:
    """Memory of an agent about its users. Each user has facts and one conversation. Users never share memories.

    Facts are kept by `LongTermMemory` with the subject `user:<user>`, messages by `Conversation` with the same
    id. JavaScript programs share both.

    Every method raises `MembusError` for an error of the bus or the host, and `ValueError` for a user with an empty or
    too long name.
    """

    def __init__(
        self,
        client: AgentMemory,
        *,
        tier: MemoryTier = "episodic",
        model: ChatModel | None = None,
        budget: Budget | None = None,
        context_tokens_max: int = 8_000,
        context_facts_max: int = 10,
        count_tokens: CountTokens = estimate_tokens,
    ) -> None:
        """Args:
        tier: "episodic" for memories of the agent, "semantic" for memories that all agents of the tenant share.
        model: Extracts facts from messages, and summarizes long conversations.
        budget: Limits the calls of the model, shared by all processes of the agent. Over it, `add` stores texts unchanged
            with `degraded`, and `context` cuts instead of summarizing.
        context_tokens_max: Maximum number of tokens that `context` returns, 200 or more.
        context_facts_max: Maximum number of facts that `context` adds, 0..100.
        """
        self._thread = client._thread
        self._memory = AsyncMemory(
            client._memory,
            tier=tier,
            model=model,
            budget=budget,
            context_tokens_max=context_tokens_max,
            context_facts_max=context_facts_max,
            count_tokens=count_tokens,
        )

    def add(self, messages: MemoryInput, *, user: str) -> AddedToMemory:
        """Add texts as facts about a user, or messages to the conversation of the user.

        With a model, facts are extracted. Without one, texts and the statements of the user become facts, and
        `membus learn` can extract more from the conversation. A message with an `id` that exists is not added again.

        Raises:
            TypeError: For an invalid message. Nothing is added.
            ValueError: For an `at` of a message that is no time. Nothing is added.
        """
        return self._thread.run(self._memory.add(messages, user=user))

    def search(self, query: str, *, user: str, limit: int = 5) -> list[LongTermItem]:
        """Return the facts about a user that match a query, best first. Empty if none is related."""
        return self._thread.run(self._memory.search(query, user=user, limit=limit))

    def history(self, user: str, *, last: int | None = None) -> list[ConversationMessage]:
        """Return the messages of a user, or the `last` ones, oldest first."""
        return self._thread.run(self._memory.history(user, last=last))

    def context(self, user: str, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return the messages for a model: related facts in a system message, earlier messages of the user, `messages`.

        Together they have at most `context_tokens_max` tokens. Messages that are in the history already are not
        repeated.

        Raises:
            TooLargeError: If `messages` exceed the limit.
        """
        return self._thread.run(self._memory.context(user, messages))

    def forget(
        self, user: str, *, names: Sequence[str] = (), conversations: Sequence[str] = (), purge: bool = False
    ) -> ForgottenUser:
        """Delete everything of a user that this agent sees, with what was derived from it, in all tiers.

        These are facts with their history, conversations, triples, blocks, files, progressive memory and notes. An entry
        belongs to the user if its namespace has the segment `user:<user>`, or `<user>` after `about`, `user` or `users`.
        Elsewhere it must be about the user, or in a conversation of the user.

        Args:
            names: Other names of the user, such as the node of a graph.
            conversations: Ids of conversations that belong to the user only. `user:<user>` and `user:<user>/...` are
                included.
            purge: Whether to wait until no byte of it is left on disk. Without it, a marker stays for 7 days, so that
                work in progress writes nothing.
        """
        return self._thread.run(self._memory.forget(user, names=names, conversations=conversations, purge=purge))

    def rename(self, user: str, to: str) -> int:
        """Give the memories of a user another name. Return the number of entries that were moved, 0 if there are none.

        Entries keep their order and their event times, and get new keys, revisions and creation times. Entries that others
        store under the old name at the same time are moved too. The same call again continues after a failure.

        Raises:
            ConflictError: If there are memories of a user with the new name, or if others keep storing.
            TooLargeError: For more than 100,000 entries. Nothing is changed.
        """
        return self._thread.run(self._memory.rename(user, to))
