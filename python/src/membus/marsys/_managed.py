"""The memory of a conversation that fits the context of a model, in the interface of MARSYS."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from .._chat_model import ChatModel
from .._memories import estimate_tokens
from ..context import CountTokens, tokens_of
from ..sync import AgentMemory
from ..sync_memory import ContextWindow
from ._conversation import ConversationMemory, to_llm_dicts
from ._events import CompactionEvent


@dataclass
class ActiveContextPolicyConfig:
    """`min_reduction_ratio` is the part of the threshold by which a compaction reduces the context, 0..1."""

    enabled: bool = True
    min_reduction_ratio: float = 0.4


@dataclass
class ManagedMemoryConfig:
    """Above `threshold_tokens`, older messages are summarized, or left out without a model."""

    threshold_tokens: int = 150_000
    token_counter: CountTokens | None = None
    active_context: ActiveContextPolicyConfig = field(default_factory=ActiveContextPolicyConfig)

    @property
    def compaction_target_tokens(self) -> int:
        return int(self.threshold_tokens * (1 - self.active_context.min_reduction_ratio))


class ManagedConversationMemory(ConversationMemory):
    """A `ConversationMemory` whose `get_messages` fit the context of a model. It keeps every message."""

    def __init__(
        self,
        config: ManagedMemoryConfig | None = None,
        *,
        description: str | None = None,
        model: ChatModel | None = None,
        client: AgentMemory | None = None,
        conversation: str | None = None,
    ) -> None:
        super().__init__(description, client=client, conversation=conversation)
        self._config = config or ManagedMemoryConfig()
        self._model = model
        self._count = self._config.token_counter or estimate_tokens
        self._tokens_max = self._config.threshold_tokens
        self._compactions = 0

    def get_messages(self) -> list[dict[str, Any]]:
        """Return the messages for a model, after older ones are summarized or left out if they exceed the threshold."""
        return to_llm_dicts(self._compacted())

    def get_raw_messages(self) -> list[dict[str, Any]]:
        """Return all messages."""
        return self.retrieve_all()

    def get_cache_stats(self) -> dict[str, int]:
        """Return the numbers of messages, of their tokens and of compactions."""
        raw = [each.message for each in self._messages()]
        return {"raw_messages": len(raw), "raw_tokens": tokens_of(raw, self._count), "compactions": self._compactions}

    def compact_if_needed(self, runtime: Any = None) -> bool:
        """Compact the context if it exceeds the threshold. Return whether it did. `runtime` is not needed."""
        before = self._compactions
        self._compacted()
        return self._compactions > before

    def compact_for_payload_error(self, runtime: Any = None) -> bool:
        """Reduce the context after a provider has refused it as too large. Return whether it has fewer bytes now."""
        before = self._compacted()
        reduced = tokens_of(before, self._count) * (1 - self._config.active_context.min_reduction_ratio)
        self._tokens_max = max(1, min(self._tokens_max, int(reduced)))
        return _bytes_of(self._compacted()) < _bytes_of(before)

    def _compacted(self) -> list[dict[str, Any]]:
        raw = [each.message for each in self._messages()]
        if not self._config.active_context.enabled or tokens_of(raw, self._count) <= self._tokens_max:
            return raw
        window = ContextWindow(self._conversation, tokens_max=self._tokens_max, model=self._model, count_tokens=self._count)
        summary, started = self._conversation.summary(), time.monotonic()
        size = {"pre_tokens": tokens_of(raw, self._count), "pre_messages": len(raw)}
        self._emit("started", **size)
        try:
            view = window.messages()
        except Exception:
            self._emit("failed", **size, duration=time.monotonic() - started)
            raise
        self._compactions += 1
        size = {**size, "post_tokens": tokens_of(view, self._count), "post_messages": len(view)}
        stages = ["summarization"] if self._conversation.summary() != summary else ["backward_packing"]
        self._emit("completed", **size, duration=time.monotonic() - started, stages_run=stages)
        return view

    def _emit(self, status: str, **fields: Any) -> None:
        if self._context is not None:
            context = self._context
            context.emit(CompactionEvent(context.session_id or "", context.agent_name, status, **fields))


def _bytes_of(messages: list[dict[str, Any]]) -> int:
    return len(json.dumps(messages, ensure_ascii=False).encode())
