"""An OpenAI-compatible chat model over HTTP, with the standard library."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence

#: Maximum size of a reply in bytes.
_REPLY_BYTES_MAX = 4 * 1024 * 1024


class ModelError(Exception):
    """A model gave no usable reply. `code` is "timeout", "unavailable", "rate_limited", "unauthorized",
    "invalid_request" or "invalid_output".
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass(frozen=True)
class ChatModel:
    """A model behind `base_url`, such as `http://127.0.0.1:8080/v1`.

    `timeout_s` is the time limit of each read of the reply. `output_tokens_max` limits each reply.
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
        }
        reply = await asyncio.to_thread(self._post, body)
        try:
            return str(reply["choices"][0]["message"]["content"] or "")
        except (KeyError, IndexError, TypeError):
            raise ModelError("invalid_output", "the reply has no message") from None

    async def complete_json(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the JSON object of a reply. An invalid reply is requested once more."""
        for _ in range(2):
            found = re.search(r"\{[\s\S]*\}", await self.complete(messages))
            try:
                value = json.loads(found.group()) if found else None
            except ValueError:
                value = None
            if isinstance(value, dict):
                return value
        raise ModelError("invalid_output", "the reply was twice no JSON object")

    def _post(self, body: dict[str, Any]) -> Any:
        headers = {"content-type": "application/json", **({"authorization": f"Bearer {self.api_key}"} if self.api_key else {})}
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_s) as reply:
                data = reply.read(_REPLY_BYTES_MAX + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise ModelError(_code_of(error.code), f"HTTP {error.code}: {error.read(500).decode(errors='replace')}") from error
        except TimeoutError as error:
            raise ModelError("timeout", f"no reply within {self.timeout_s} s") from error
        except OSError as error:
            is_late = isinstance(getattr(error, "reason", None), TimeoutError)
            raise ModelError("timeout" if is_late else "unavailable", str(error)) from error
        try:
            if len(data) > _REPLY_BYTES_MAX:
                raise ValueError(f"the reply is over {_REPLY_BYTES_MAX} bytes")
            return json.loads(data)
        except ValueError as error:
            raise ModelError("invalid_output", str(error)) from error


def _code_of(status: int) -> str:
    if status == 429:
        return "rate_limited"
    if status in (401, 403):
        return "unauthorized"
    return "invalid_request" if 400 <= status < 500 else "unavailable"
