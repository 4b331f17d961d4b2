"""The personal, task and tool memories of ReMe, as in AgentScope 1."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Awaitable, Iterable, Sequence

from agentscope.memory import LongTermMemoryBase
from agentscope.message import Msg
from agentscope.tool import ToolResponse

from .._chat_model import ChatModel, ModelError
from .._mem0_filters import subject_of
from ..aio import AsyncAgentMemory
from ..errors import MembusError
from ..long_term import AsyncLongTermMemory
from ._messages import Messages, ids_of, last_text, messages_of, tool_response

if TYPE_CHECKING:
    from typing_extensions import Self


class _ReMeMemory(LongTermMemoryBase):
    """Base of the three memories of ReMe. The client is open, so `async with` only returns the memory.

    The names are those of `MembusLongTermMemory`. With a `model`, it extracts what to remember.
    """

    def __init__(
        self,
        memory: AsyncAgentMemory,
        *,
        agent_name: str | None = None,
        user_name: str | None = None,
        run_name: str | None = None,
        model: ChatModel | None = None,
    ) -> None:
        super().__init__()
        self._memory = AsyncLongTermMemory(memory, subject_of(ids_of(agent_name, user_name, run_name)), model=model)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave the client open, because its owner closes it."""

    async def _recorded(self, recording: Awaitable[Sequence[object]]) -> ToolResponse:
        try:
            return tool_response(f"Recorded {len(await recording)} memories.")
        except (MembusError, ModelError, ValueError) as error:
            return tool_response(f"Error recording memory: {error}")

    async def _retrieved(self, queries: Iterable[str], kind: str, limit: int) -> ToolResponse:
        try:
            return tool_response(await self._recalled(queries, kind, limit) or "No memories found.")
        except MembusError as error:
            return tool_response(f"Error retrieving memory: {error}")

    async def _recalled(self, queries: Iterable[str], kind: str, limit: int) -> str:
        recalls = [await self._memory.recall(query, limit=limit, min_score=0.1, kinds=[kind]) for query in queries]
        return "\n".join(dict.fromkeys(item.text for recall in recalls for item in recall.memories))


class ReMePersonalLongTermMemory(_ReMeMemory):
    """Facts about a person, with the calls of AgentScope's memory of this name."""

    async def record(self, msgs: list[Msg | None], **_: Any) -> None:
        """Store the facts of messages."""
        await self._memory.record(messages_of(msgs))

    async def retrieve(self, msg: Messages, limit: int = 5, **_: Any) -> str:
        """Return facts relevant to the last message, one per line."""
        return await self._recalled(last_text(msg), "fact", limit)

    async def record_to_memory(self, thinking: str, content: list[str], **_: Any) -> ToolResponse:
        """Record important user information, such as preferences, habits and personal facts, for future conversations.

        Args:
            thinking (`str`):
                Your reasoning about why this information is worth recording.
            content (`list[str]`):
                Specific facts to remember. Each string is clear on its own.
        """
        return await self._recorded(self._memory.record([{"role": "user", "content": text} for text in content], infer=False))

    async def retrieve_from_memory(self, keywords: list[str], limit: int = 5, **_: Any) -> ToolResponse:
        """Search the memories about the user. Call it before you answer questions about preferences or the past.

        Args:
            keywords (`list[str]`):
                Specific keywords to search for.
            limit (`int`, optional):
                The maximum number of memories per keyword. Defaults to 5.
        """
        return await self._retrieved(keywords, "fact", limit)


class ReMeTaskLongTermMemory(_ReMeMemory):
    """Experiences from tasks, with the calls of AgentScope's memory of this name. `score` is the success, 0..1."""

    async def record(self, msgs: list[Msg | None], score: float = 1.0, **_: Any) -> None:
        """Store what was learned from the messages of a task. Without a model, they are stored as one experience."""
        texts = messages_of(msgs)
        task = next((text["content"] for text in texts if text["role"] == "user"), "")
        await self._memory.record_experiences(_as_one(texts), value=score, when_to_use=task)

    async def retrieve(self, msg: Messages, limit: int = 3, **_: Any) -> str:
        """Return experiences relevant to the last message, one per line."""
        return await self._recalled(last_text(msg), "experience", limit)

    async def record_to_memory(self, thinking: str, content: list[str], score: float = 1.0, **_: Any) -> ToolResponse:
        """Record what was learned from a task: techniques, steps, results and lessons.

        Args:
            thinking (`str`):
                Your reasoning about why this experience is worth recording.
            content (`list[str]`):
                Specific insights. Each string is clear on its own.
            score (`float`, optional):
                The success of this approach, 0..1. Defaults to 1.
        """
        texts = [{"role": "assistant", "content": text} for text in content]
        return await self._recorded(self._memory.record_experiences(texts, value=score, infer=False))

    async def retrieve_from_memory(
        self, keywords: list[str], limit: int = 3, top_k: int | None = None, **_: Any
    ) -> ToolResponse:
        """Search experiences from similar tasks. Call it before you solve a problem.

        Args:
            keywords (`list[str]`):
                Keywords of the task or the domain.
            limit (`int`, optional):
                The maximum number of experiences per keyword. Defaults to 3.
            top_k (`int`, optional):
                The same as `limit`, which it replaces.
        """
        return await self._retrieved(keywords, "experience", limit if top_k is None else top_k)


class ReMeToolLongTermMemory(_ReMeMemory):
    """Calls of tools and their guidelines, with the calls of AgentScope's memory of this name."""

    async def record(self, msgs: list[Msg | None], **_: Any) -> None:
        """Store reports of tool calls. Each message contains a report as JSON, or a JSON list of reports.

        Raises:
            ValueError: For an invalid report. Nothing is stored.
        """
        await self._memory.record_tool_calls([report for text in messages_of(msgs) for report in _reports(text["content"])])

    async def retrieve(self, msg: Messages, limit: int = 5, **_: Any) -> str:
        """Return guidelines of the tools that the last message names, one per line."""
        return await self._recalled(last_text(msg), "guideline", limit)

    async def record_to_memory(self, thinking: str, content: list[str], **_: Any) -> ToolResponse:
        """Record executions of tools, also failed ones, to learn how the tools are used best.

        Args:
            thinking (`str`):
                Your reasoning about why these executions are worth recording.
            content (`list[str]`):
                JSON objects with `create_time`, `tool_name`, `input`, `output`, `token_cost`, `success` and `time_cost`.
        """
        return await self._recorded(self._memory.record_tool_calls(content))

    async def retrieve_from_memory(self, keywords: list[str], limit: int = 5, **_: Any) -> ToolResponse:
        """Retrieve usage guidelines. Call it before you use a tool.

        Args:
            keywords (`list[str]`):
                Exact names of tools.
            limit (`int`, optional):
                The maximum number of guidelines per name. Defaults to 5.
        """
        return await self._retrieved(keywords, "guideline", limit)


def _as_one(texts: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": "\n".join(text["content"] for text in texts)}] if texts else []


def _reports(text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return [text]
    return value if isinstance(value, list) else [value]
