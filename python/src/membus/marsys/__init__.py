"""The memory interface of MARSYS: `from membus.marsys import ...` instead of `from marsys.agents.memory import ...`.

    memory = ConversationMemory(description="You are helpful")
    memory.add(role="user", content="Hello")
    print(memory.retrieve_all())

Without a `client`, a memory connects to the server in NATS_URL. Without a `conversation`, it starts a new one.
"""

from ._conversation import ConversationMemory
from ._events import CompactionEvent, EventBus, MemoryResetEvent
from ._graph import KGMemory
from ._managed import ActiveContextPolicyConfig, ManagedConversationMemory, ManagedMemoryConfig
from ._manager import MemoryManager
from ._messages import AgentCallMsg, Message, MessageContent, ToolCallMsg

__all__ = [
    "ActiveContextPolicyConfig",
    "AgentCallMsg",
    "CompactionEvent",
    "ConversationMemory",
    "EventBus",
    "KGMemory",
    "ManagedConversationMemory",
    "ManagedMemoryConfig",
    "MemoryManager",
    "MemoryResetEvent",
    "Message",
    "MessageContent",
    "ToolCallMsg",
]
