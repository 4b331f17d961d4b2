"""The tool calls of a turn, from the messages of a conversation."""

from __future__ import annotations

import json
from typing import Any, Iterable, Mapping, Sequence

#: Calls of one turn that are reported, the last ones.
CALLS_MAX = 200
#: Characters of a result that are reported, from its end. Longer results are no JSON then.
RESULT_MAX = 50_000


def tool_calls(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls since the last message of the user, with their results. Calls without one are left out."""
    turn = _last_turn(messages)
    results = {str(message.get("tool_call_id")): message for message in turn if message.get("role") == "tool"}
    calls = [
        {
            "tool_name": str(function.get("name", "")),
            "tool_input": _arguments(function.get("arguments")),
            "tool_response": _text(results[call_id].get("content"))[-RESULT_MAX:],
        }
        for call_id, function in _functions(turn)
        if call_id in results
    ]
    return calls[-CALLS_MAX:]


def _last_turn(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    starts = [index for index, message in enumerate(messages) if message.get("role") == "user"]
    return messages[starts[-1] + 1 :] if starts else messages


def _functions(turn: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for message in turn:
        for call in message.get("tool_calls") or []:
            yield str(call.get("id")), call.get("function") or {}


def _arguments(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return {}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)
