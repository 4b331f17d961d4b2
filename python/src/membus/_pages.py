"""Pages of a retrieve or a list, one after the other, and what makes one whole."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable, Mapping

from ._schema import LIMITS, TIERS, RetrieveResponse
from .errors import HostRuntimeError, error_of


async def follow_pages(
    fields: dict[str, Any], page_size: int, fetch: Callable[[dict[str, Any]], Any], name: str
) -> AsyncIterator[Any]:
    """Every page, until there is no more or as many as `limit` says have come."""
    if not 1 <= page_size <= LIMITS["retrieveLimit"]:
        raise ValueError(f"page_size must be 1..{LIMITS['retrieveLimit']}")
    left = fields.pop("limit", None)
    while left is None or left > 0:
        page = await fetch({**fields, "limit": page_size if left is None else min(left, page_size)})
        yield page
        cursor = page.get("cursor")
        if cursor is None:
            return
        if cursor == fields.get("cursor"):
            raise HostRuntimeError("the host's cursor does not advance")
        fields["cursor"] = cursor
        left = None if left is None else left - len(page[name])


def require_whole(reply: Mapping[str, Any]) -> None:
    """A listing must not lack some without a word: raises the first reason why a page is `degraded`."""
    for degraded in reply.get("degraded", ()):
        raise error_of(degraded)


def content_by_tier(reply: RetrieveResponse, missing: object) -> Any:
    """Of the entries of one key, the content of the one in the first tier; raises for a tier that failed and comes before it."""
    for tier in TIERS:
        for degraded in reply.get("degraded", ()):
            if degraded.get("tier") == tier:
                raise error_of(degraded)
        for entry in reply["entries"]:
            if entry.get("tier") == tier:
                return entry["content"]
    return missing
