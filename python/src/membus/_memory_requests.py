"""Sends the requests of one view of a memory."""

from __future__ import annotations

from typing import Any, Callable

from ._exchange import Exchange, RetryPolicy, new_id, request_fields, write_request
from ._identity import Identity
from ._schema import PROTOCOL_VERSION, ListResponse, RetrieveResponse

#: Maximum length of an id. The requests of a split store append a number, and an id has at most 128 characters.
_ID_LENGTH_MAX = 120


class MemoryRequests:
    """Builds requests with the identity and the retry policy of a view, and sends them."""

    def __init__(self, exchange: Exchange, identity: Identity, policy: RetryPolicy) -> None:
        self._exchange = exchange
        self._identity = identity
        self._policy = policy

    def _envelope(self, policy: RetryPolicy) -> dict[str, Any]:
        session = {"session_id": self._identity.session} if self._identity.session else {}
        return {"version": PROTOCOL_VERSION, "deadline_ms": max(1, round(policy.timeout_s * 1000)), **session}

    async def _send(
        self,
        type: str,
        fields: dict[str, Any],
        policy: RetryPolicy,
        id: str | None = None,
        check: Callable[[Any], object] = lambda reply: None,
    ) -> Any:
        known = request_fields(type, {name: value for name, value in fields.items() if value is not None})
        subject = self._identity.subject(type, known.get("tier"))
        request = write_request(type, id or new_id(), subject, self._envelope(policy), known)

        def read(reply: dict[str, Any]) -> dict[str, Any]:
            check(reply)
            return reply

        return await self._exchange.send(request, policy, read)

    async def _retrieve(self, fields: dict[str, Any], policy: RetryPolicy, check: Callable[[Any], object]) -> RetrieveResponse:
        fields["namespace"] = fields.get("namespace") or self._identity.namespace
        reply: RetrieveResponse = await self._send("memory/retrieve/req", fields, policy, check=check)
        return reply

    async def _list(self, fields: dict[str, Any], policy: RetryPolicy, check: Callable[[Any], object]) -> ListResponse:
        own = self._identity.namespace if fields.get("field") else f"{self._identity.namespace}/**"
        fields["namespace"] = fields.get("namespace") or own
        reply: ListResponse = await self._send("memory/list/req", fields, policy, check=check)
        return reply


def check_id(id: str | None) -> str:
    if id is None:
        return new_id()
    if not isinstance(id, str) or not 1 <= len(id) <= _ID_LENGTH_MAX or not id.isprintable():
        raise ValueError(f"id must be 1..{_ID_LENGTH_MAX} printable characters")
    return id
