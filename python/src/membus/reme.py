"""The interface of ReMe V2: `from membus.reme import ReMe` instead of `from reme_ai import ReMe`.

    memory = ReMe(memory_space="remy", llm={"backend": "openai", "model": "qwen-plus"})
    memory.summary([{"role": "user", "content": "I'm travelling to Lisbon"}], user_id="ada")
    print(memory.retrieve("travel plans", user_id="ada")["results"])

Every result can also be awaited, because ReMe has both forms.
"""

from __future__ import annotations

import os
from typing import Any, Generator, Mapping, Sequence

from ._chat_model import ChatModel
from ._default_client import open_client
from ._memories import LongTermItem
from .sync import AgentMemory, MemoryClient
from .sync_memory import Conversation, LongTermMemory, Memory

Messages = Sequence[Mapping[str, Any]]
_TYPES = ("auto", "personal", "procedural", "tool")
_KINDS = {"personal": "fact", "procedural": "experience", "tool": "guideline"}
_TYPE_OF = {kind: name for name, kind in _KINDS.items()}


class Reply(dict[str, Any]):
    """A result, which `await` returns unchanged."""

    def __await__(self) -> Generator[None, None, Reply]:
        yield from ()
        return self


class ReMe:
    """Memories of users in one memory space, which is the agent that owns them.

    `llm` extracts facts, with the server in REME_LLM_BASE_URL and the key in REME_LLM_API_KEY. Without it, messages are
    stored unchanged. `embedding` and `vector_store` are accepted and not used, because the host has both. Without a
    `client`, the object connects to the server in NATS_URL.

    Methods block until the result is there, in a coroutine as well. They raise `MembusError` for an error of the bus or
    the host, and `ModelError` for a failure of the model.
    """

    def __init__(
        self,
        memory_space: str = "default",
        llm: Mapping[str, Any] | None = None,
        embedding: Mapping[str, Any] | None = None,
        vector_store: Mapping[str, Any] | None = None,
        *,
        use_agentic_mode: bool = False,
        client: AgentMemory | None = None,
    ) -> None:
        """Raise `ValueError` for an `llm` that is not OpenAI-compatible, and for the agentic mode, which is
        `ProgressiveMemory` in JavaScript.
        """
        if use_agentic_mode:
            raise ValueError("the agentic mode is ProgressiveMemory of @membus/agentic. Python has no equivalent")
        self._model = None if llm is None else _model_of(llm)
        self._opened: MemoryClient | None = None
        if client is None:
            self._opened = client = open_client(memory_space)
        self._client = client.for_agent(memory_space)
        self._memory = Memory(self._client, model=self._model)

    def summary(self, messages: Messages, user_id: str, memory_type: str = "auto") -> Reply:
        """Store what is worth remembering in messages.

        `memory_type` is "personal" for facts, "procedural" for experiences, "tool" for the calls in the messages, or
        "auto" for facts and calls.

        Returns:
            `{"results": [{"id", "memory", "event"}]}`.
        """
        _check_type(memory_type)
        facts = LongTermMemory(self._client, f"user:{user_id}", model=self._model)
        outcomes = [] if memory_type in ("tool", "procedural") else self._memory.add(messages, user=user_id).facts
        if memory_type == "procedural":
            outcomes = facts.record_experiences(messages)
        calls = _reports_of(messages) if memory_type in ("tool", "auto") else []
        ids = facts.record_tool_calls(calls) if calls else []
        results = [{"id": each.id, "memory": each.text, "event": each.outcome} for each in outcomes]
        results += [{"id": id, "memory": call["tool_name"], "event": "new"} for id, call in zip(ids, calls)]
        return Reply(results=results)

    def retrieve(self, query: str, limit: int = 3, user_id: str = "default", memory_type: str = "auto") -> Reply:
        """Return memories that match a query, best first: `{"results": [{"id", "memory", "score", "memory_type"}]}`."""
        _check_type(memory_type)
        kinds = [*_KINDS.values()] if memory_type == "auto" else [_KINDS[memory_type]]
        found = LongTermMemory(self._client, f"user:{user_id}").recall(query, limit=limit, kinds=kinds)
        return Reply(results=[_result(item) for item in found.memories])

    def list_memories(self, user_id: str) -> str:
        """Return the newest 100 memories of a user, one per line."""
        return "\n".join(f"- {item.text}" for item in LongTermMemory(self._client, f"user:{user_id}").items())

    def delete_all_memories(self, user_id: str) -> Reply:
        """Delete the memories and the conversation of a user. Return the deleted entries by kind of record."""
        return Reply(deleted=self._memory.forget(user_id).deleted)

    def offload_context(self, messages: Messages) -> Reply:
        """Store messages of this session that leave the context of the model. Return their ids."""
        return Reply(ids=self._offloaded().add(messages))

    def reload_context(self, query: str, limit: int = 3) -> Reply:
        """Return offloaded messages that match a query, best first: `{"results": [{"id", "memory"}]}`."""
        found = self._offloaded().search(query, limit=limit)
        return Reply(results=[{"id": each.id, "memory": each.message["content"]} for each in found])

    def close(self) -> None:
        """Close the connection that this object has opened."""
        if self._opened is not None:
            self._opened.close()

    def _offloaded(self) -> Conversation:
        return Conversation(self._client, f"offloaded:{self._client.session or 'default'}")


def _model_of(llm: Mapping[str, Any]) -> ChatModel:
    if llm.get("backend", "openai") != "openai":
        raise ValueError(f'the backend of `llm` must be "openai" for any compatible server, got {llm["backend"]!r}')
    base_url = os.environ.get("REME_LLM_BASE_URL")
    if not base_url:
        raise ValueError("`llm` needs the server in REME_LLM_BASE_URL, such as http://127.0.0.1:8080/v1")
    key, temperature = os.environ.get("REME_LLM_API_KEY", ""), float(llm.get("temperature", 0))
    return ChatModel(base_url, str(llm["model"]), key, temperature=temperature)


def _check_type(memory_type: str) -> None:
    if memory_type not in _TYPES:
        raise ValueError(f"memory_type must be one of {', '.join(_TYPES)}, got {memory_type!r}")


def _result(item: LongTermItem) -> dict[str, Any]:
    return {"id": item.id, "memory": item.text, "score": item.score, "memory_type": _TYPE_OF[item.kind]}


def _reports_of(messages: Messages) -> list[dict[str, Any]]:
    """Return a report for each tool call with a result. A result that starts with "Error" is a failure."""
    results = {str(each.get("tool_call_id")): each.get("content") for each in messages if each.get("role") == "tool"}
    reports = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call.get("function", call)
            if call.get("id") in results:
                output = results[call["id"]]
                success = not str(output).lstrip().lower().startswith("error")
                reports.append({"tool_name": function["name"], "input": function["arguments"], "output": output, "success": success})
    return reports
