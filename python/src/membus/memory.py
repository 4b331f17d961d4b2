"""What an agent remembers about its users: the class for most programs.

    memory = AsyncMemory(client)
    await memory.add("I prefer the night train", user="ada")
    print(await memory.search("which train?", user="ada"))
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Mapping, Sequence, Union

from ._budget import Budget, with_budget
from ._chat_model import ChatModel, ModelError
from ._conversation_records import text_of
from ._facts import segment_length
from ._forget_user import ForgottenUser, forget_user
from ._memories import LongTermItem, Recall, RecordOutcome, estimate_tokens
from ._rename_user import rename_user
from ._schema import LIMITS, MemoryTier
from ._statement import is_statement
from ._user_data import USER_PREFIX, UserNames
from ._values import key_hash, require_number
from .aio import AsyncAgentMemory
from .context import AsyncContextWindow, CountTokens, Message, tokens_of
from .conversation import AsyncConversation, ConversationMessage
from .errors import TooLargeError
from .long_term import AsyncLongTermMemory, utterances_of

#: Texts are facts. Messages are a part of the conversation of the user.
MemoryInput = Union[str, Mapping[str, Any], Sequence[Union[str, Mapping[str, Any]]]]
#: Part of the free tokens that facts may take. The rest is for earlier messages.
_FACTS_SHARE = 0.5


@dataclass(frozen=True)
class AddedToMemory:
    """Result of `add`: the ids of the messages and the outcome of each fact. `degraded` is the failure of the model, if the
    texts were stored unchanged because of it.
    """

    message_ids: list[str]
    facts: list[RecordOutcome]
    degraded: str | None = None


class AsyncMemory:
    """Memory of an agent about its users. Each user has facts and one conversation. Users never share memories.

    Facts are kept by `AsyncLongTermMemory` with the subject `user:<user>`, messages by `AsyncConversation` with the same
    id. JavaScript programs share both.

    Every method raises `MembusError` for an error of the bus or the host, and `ValueError` for a user with an empty or
    too long name.
    """

    def __init__(
        self,
        client: AsyncAgentMemory,
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
        require_number("context_tokens_max", context_tokens_max, "200 or more", lambda number: number >= 200)
        require_number("context_facts_max", context_facts_max, "0..100", lambda number: 0 <= number <= 100)
        self._client = client
        self._tier: MemoryTier = tier
        self._model = with_budget(model, client, budget) if model is not None and budget is not None else model
        self._tokens_max = context_tokens_max
        self._facts_max = context_facts_max
        self._count = count_tokens

    async def add(self, messages: MemoryInput, *, user: str) -> AddedToMemory:
        """Add texts as facts about a user, or messages to the conversation of the user.

        With a model, facts are extracted. Without one, texts and the statements of the user become facts, and
        `membus learn` can extract more from the conversation. A message with an `id` that exists is not added again.

        Raises:
            TypeError: For an invalid message. Nothing is added.
            ValueError: For an `at` of a message that is no time. Nothing is added.
        """
        given = [messages] if isinstance(messages, (str, Mapping)) else [*messages]
        texts = [each for each in given if isinstance(each, str)]
        spoken = [each for each in given if not isinstance(each, str)]
        facts, conversation = self._facts(user), self._conversation(user)
        utterances_of(given, None)
        ids = await conversation.add(spoken) if spoken else []
        sources = [key_hash({"conversation": conversation.id, "message": id}) for id in ids][-LIMITS["sources"] :]
        now = time.time()
        heard = [{"at": now, **message} for message in spoken]
        if self._model is not None:
            try:
                outcomes = await facts.record(texts) if texts else []
                outcomes += await facts.record(heard, sources=sources) if heard else []
                return AddedToMemory(ids, outcomes)
            except ModelError as error:
                return AddedToMemory(ids, await _add_unchanged(facts, texts, heard, sources), str(error))
        return AddedToMemory(ids, await _add_unchanged(facts, texts, heard, sources))

    async def search(self, query: str, *, user: str, limit: int = 5) -> list[LongTermItem]:
        """Return the facts about a user that match a query, best first. Empty if none is related."""
        return (await self._facts(user).recall(query, limit=limit)).memories

    async def history(self, user: str, *, last: int | None = None) -> list[ConversationMessage]:
        """Return the messages of a user, or the `last` ones, oldest first."""
        return await self._conversation(user).get(last=last)

    async def context(self, user: str, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return the messages for a model: related facts in a system message, earlier messages of the user, `messages`.

        Together they have at most `context_tokens_max` tokens. Messages that are in the history already are not
        repeated.

        Raises:
            TooLargeError: If `messages` exceed the limit.
        """
        given = tokens_of(messages, self._count)
        if given > self._tokens_max:
            detail = {"limit": "context_tokens_max", "max": self._tokens_max, "got": given}
            raise TooLargeError(f"the messages have {given} tokens, limit {self._tokens_max}: shorten them", detail)
        turns = [n for n, message in enumerate(messages) if message["role"] not in ("system", "developer")]
        start = turns[0] if turns else len(messages)
        turn = [dict(message) for message in messages[start:]]
        recalled = await self._recalled(user, turn, int((self._tokens_max - given) * _FACTS_SHARE))
        head = _with_facts([dict(message) for message in messages[:start]], recalled)
        left = self._tokens_max - tokens_of([*head, *turn], self._count)
        if left < 1:
            return [*head, *turn]
        earlier = _without_overlap(await self._earlier(user, left), turn)
        while earlier and (tokens_of(earlier, self._count) > left or earlier[0]["role"] == "tool"):
            earlier = earlier[1:]
        return [*head, *earlier, *turn]

    async def forget(
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
        return await forget_user(self._client, UserNames(_checked(user), [*names], [*conversations]), purge)

    async def rename(self, user: str, to: str) -> int:
        """Give the memories of a user another name. Return the number of entries that were moved, 0 if there are none.

        Entries keep their order and their event times, and get new keys, revisions and creation times. Entries that others
        store under the old name at the same time are moved too. The same call again continues after a failure.

        Raises:
            ConflictError: If there are memories of a user with the new name, or if others keep storing.
            TooLargeError: For more than 100,000 entries. Nothing is changed.
        """
        return await rename_user(self._client, _checked(user), _checked(to))

    async def _earlier(self, user: str, tokens_max: int) -> list[dict[str, Any]]:
        """Return earlier messages of a user. If the model fails, they are cut without a new summary."""
        how: Any = {"tokens_max": tokens_max, "count_tokens": self._count}
        try:
            return await AsyncContextWindow(self._conversation(user), model=self._model, **how).messages()
        except ModelError:
            return await AsyncContextWindow(self._conversation(user), **how).messages()

    async def _recalled(self, user: str, turn: Sequence[Message], tokens_max: int) -> str:
        """Return the text of the best facts for the last message of the user that fit."""
        asked = next((message for message in reversed(turn) if message["role"] == "user"), None)
        query = asked["content"] if asked is not None and isinstance(asked["content"], str) else ""
        if self._facts_max == 0 or not query.strip():
            return ""
        recall = await self._facts(user).recall(query, limit=self._facts_max)
        return recall.text(tokens_max, self._count) if tokens_max > 0 else ""

    def _facts(self, user: str) -> AsyncLongTermMemory:
        return AsyncLongTermMemory(self._client, _subject(user), tier=self._tier, model=self._model)

    def _conversation(self, user: str) -> AsyncConversation:
        return AsyncConversation(self._client, _subject(user), tier=self._tier)


def _subject(user: str) -> str:
    return UserNames(_checked(user)).subject


def _checked(user: str) -> str:
    """Return the name of a user. Raise ValueError if it is empty or too long."""
    maximum = LIMITS["namespaceSegmentLength"] - len(USER_PREFIX)
    if not isinstance(user, str) or not 1 <= segment_length(user) <= maximum:
        raise ValueError(f"user must be 1..{maximum} characters ('%', '/', '*' and control characters count as 3), got {user!r:.100}")
    return user


async def _add_unchanged(
    facts: AsyncLongTermMemory, texts: Sequence[str], heard: Sequence[Mapping[str, Any]], sources: Sequence[str]
) -> list[RecordOutcome]:
    """Store texts, and the statements of the user. Questions and "I don't know" stay messages only."""
    stated = [message for message in heard if message["role"] == "user" and is_statement(text_of(message.get("content")))]
    outcomes = await facts.record(texts, infer=False) if texts else []
    return outcomes + (await facts.record(stated, infer=False, sources=sources) if stated else [])


def _with_facts(system: list[dict[str, Any]], facts: str) -> list[dict[str, Any]]:
    """Add facts to the last system message if it is a text, because some models accept only one."""
    if not facts:
        return system
    if not system or not isinstance(system[-1]["content"], str):
        return [*system, {"role": "system", "content": facts}]
    return [*system[:-1], {**system[-1], "content": f"{system[-1]['content']}\n\n{facts}"}]


def _without_overlap(earlier: list[dict[str, Any]], turn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Remove the end of `earlier` that the beginning of `turn` repeats."""
    spoken = [[(message["role"], message["content"]) for message in each] for each in (earlier, turn)]
    for length in range(min(len(earlier), len(turn)), 0, -1):
        if spoken[0][-length:] == spoken[1][:length]:
            return earlier[:-length]
    return earlier
