"""Creates the memory of a type, in the interface of MARSYS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Union

from .._chat_model import ChatModel
from ..context import CountTokens
from ..sync import AgentMemory
from ._conversation import ConversationMemory
from ._graph import KGMemory
from ._managed import ManagedConversationMemory, ManagedMemoryConfig

_TYPES = ("conversation_history", "managed_conversation", "kg")


class MemoryManager:
    """A memory of the type "conversation_history", "managed_conversation" or "kg". It has the methods of that memory."""

    def __init__(
        self,
        memory_type: str = "conversation_history",
        description: str | None = None,
        model: ChatModel | None = None,
        memory_config: ManagedMemoryConfig | None = None,
        token_counter: CountTokens | None = None,
        *,
        client: AgentMemory | None = None,
        conversation: str | None = None,
    ) -> None:
        """Raise `ValueError` for an unknown type, and for "kg" without a model."""
        self.memory: Union[ConversationMemory, KGMemory]
        if memory_type == "conversation_history":
            self.memory = ConversationMemory(description, client=client, conversation=conversation)
        elif memory_type == "managed_conversation":
            config = memory_config or ManagedMemoryConfig()
            counted = config if token_counter is None else replace(config, token_counter=token_counter)
            given: Any = {"description": description, "model": model, "client": client, "conversation": conversation}
            self.memory = ManagedConversationMemory(counted, **given)
        elif memory_type == "kg" and model is not None:
            self.memory = KGMemory(model, description, client=client)
        else:
            needs = " with a model" if memory_type == "kg" else ""
            raise ValueError(f"memory_type must be one of {', '.join(_TYPES)}{needs}, got {memory_type!r}")

    def compact_if_needed(self, runtime: Any = None) -> bool:
        """Compact the context if the memory supports it and exceeds its threshold."""
        return isinstance(self.memory, ManagedConversationMemory) and self.memory.compact_if_needed(runtime)

    def compact_for_payload_error(self, runtime: Any = None) -> bool:
        """Reduce the context if the memory supports it. Return whether it has fewer bytes now."""
        return isinstance(self.memory, ManagedConversationMemory) and self.memory.compact_for_payload_error(runtime)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["memory"], name)
