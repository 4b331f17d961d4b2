"""The tools that the model may call."""

from __future__ import annotations

import json
from typing import Any, Mapping

from ._hook import Answer

_TEXT = {"type": "string"}


def _schema(name: str, description: str, properties: Mapping[str, Any], required: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": dict(properties), "required": [required]}
    return {"name": name, "description": description, "parameters": parameters}


SCHEMAS = [
    _schema(
        "membus_remember",
        "Keep one fact, decision or preference for later conversations, as one sentence that is clear without context.",
        {
            "text": {**_TEXT, "description": "The sentence, at most 4,000 characters.", "maxLength": 4_000},
            "about": {
                **_TEXT,
                "enum": ["user", "project"],
                "description": "user: it holds in all projects of the user. Default: project.",
            },
        },
        "text",
    ),
    _schema(
        "membus_recall",
        "Search the memories of the project and of the user by meaning. Each has an id, its date and its origin.",
        {"query": {**_TEXT, "description": "What to search for."}},
        "query",
    ),
    _schema(
        "membus_forget",
        "Delete one memory permanently.",
        {"id": {**_TEXT, "description": "The id of a recalled memory: b8719505 of [memory:b8719505]."}},
        "id",
    ),
]

#: Event of `membus hook hermes` for each tool.
EVENTS = {"membus_remember": "remember", "membus_recall": "recall", "membus_forget": "forget"}


def result(tool: str, answer: Answer) -> str:
    """Return the result of a tool as JSON. Without a text the call has failed, unless it was a search."""
    text = answer.text
    if not text and tool == "membus_recall" and not answer.notice:
        text = "No memory fits."
    fields = {"result": text} if text else {"error": answer.notice or "the hook gave no answer"}
    if text and answer.notice:
        fields["notice"] = answer.notice
    return json.dumps(fields, ensure_ascii=False)
