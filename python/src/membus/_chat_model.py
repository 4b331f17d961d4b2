"""An OpenAI-compatible chat model over HTTP, with the standard library."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence

#: Maximum size of a reply in bytes, and of one line of a stream.
_REPLY_BYTES_MAX = 4 * 1024 * 1024
_LINE_BYTES_MAX = 256 * 1024


class ModelError(Exception):
    """A model gave no usable reply. `code` is "timeout", "unavailable", "rate_limited", "unauthorized",
    "invalid_request", "invalid_output" or "over_budget".
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass(frozen=True)
class ChatModel:
    """A model behind `base_url`, such as `http://127.0.0.1:8080/v1`.

    `timeout_s` is the time limit for the first token, and between two of them, because replies are streamed.
    `output_tokens_max` limits each reply.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout_s: float = 60
    output_tokens_max: int = 2_000
    temperature: float = 0

    async def complete(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """Return the text of a reply. Raise `ModelError` if there is none."""
        body = {
            "model": self.model,
            "messages": [*messages],
            "max_tokens": self.output_tokens_max,
            "temperature": self.temperature,
            "stream": True,
        }
        return await asyncio.to_thread(self._post, body)

    async def complete_json(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the JSON object of a reply. An invalid reply is requested once more."""
        for _ in range(2):
            text = await self.complete(messages)
            try:
                value = json.loads(text[max(text.find("{"), 0) : text.rfind("}") + 1])
            except ValueError:
                value = None
            if isinstance(value, dict):
                return value
        raise ModelError("invalid_output", "the reply was twice no JSON object")

    def _post(self, body: dict[str, Any]) -> str:
        headers = {"content-type": "application/json", **({"authorization": f"Bearer {self.api_key}"} if self.api_key else {})}
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_s) as reply:
                return _read_reply(reply)
        except urllib.error.HTTPError as error:
            with error:
                raise ModelError(_code_of(error.code), f"HTTP {error.code}: {error.read(500).decode(errors='replace')}") from error
        except TimeoutError as error:
            raise ModelError("timeout", f"no token within {self.timeout_s} s") from error
        except (OSError, http.client.HTTPException) as error:
            is_late = isinstance(getattr(error, "reason", None), TimeoutError)
            raise ModelError("timeout" if is_late else "unavailable", str(error) or type(error).__name__) from error


def _read_reply(reply: Any) -> str:
    """Return the text of a stream of events, or of one JSON object from a server that does not stream."""
    text, size = "", 0
    is_stream = "event-stream" in str(reply.headers.get("content-type", ""))
    try:
        if not is_stream:
            return str(json.loads(reply.read(_REPLY_BYTES_MAX))["choices"][0]["message"]["content"] or "")
        while size <= _REPLY_BYTES_MAX:
            line = reply.readline(_LINE_BYTES_MAX)
            size += len(line)
            data = line.partition(b"data:")[2].strip() if line.startswith(b"data:") else b""
            if not line or data == b"[DONE]":
                return text
            if data:
                for choice in json.loads(data).get("choices") or ():
                    text += (choice.get("delta") or {}).get("content") or ""
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelError("invalid_output", f"the reply is not valid: {error}") from error
    raise ModelError("invalid_output", f"the reply is over {_REPLY_BYTES_MAX} bytes")


def _code_of(status: int) -> str:
    if status == 429:
        return "rate_limited"
    if status in (401, 403):
        return "unauthorized"
    return "invalid_request" if 400 <= status < 500 else "unavailable"
