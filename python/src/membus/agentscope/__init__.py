"""Memories for AgentScope 1.0: the messages of a conversation, and long-term facts. Requires agentscope 1.0.21.

    agent = ReActAgent(..., memory=MembusMemory(memory, "c-1"), long_term_memory=MembusLongTermMemory(memory,
    user_name="alice"))

For AgentScope 2, use `membus.mem0`.
"""

from ._conversation import MembusMemory
from ._long_term import MembusLongTermMemory
from ._reme import ReMePersonalLongTermMemory, ReMeTaskLongTermMemory, ReMeToolLongTermMemory

__all__ = [
    "MembusLongTermMemory",
    "MembusMemory",
    "ReMePersonalLongTermMemory",
    "ReMeTaskLongTermMemory",
    "ReMeToolLongTermMemory",
]
