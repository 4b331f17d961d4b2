"""Pagination of retrieve and list, and completeness checks."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable, Mapping

from ._schema import LIMITS, TIERS, RetrieveResponse
from .errors import HostRuntimeError, error_of


async def follow_pages(
    fields: dict[str, Any], page_size: int, fetch: Callable[[dict[str, Any]], Any], name: str
) -> AsyncIterator[Any]:
    """Yield pages until there are no more, or until `limit` items were returned."""
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
            raise HostRuntimeError("the cursor of the host does not advance")
        fields["cursor"] = cursor
        left = None if left is None else left - len(page[name])


def require_whole(reply: Mapping[str, Any]) -> None:
    """Raise the first error of a `degraded` page, because an iteration must not omit entries silently."""
    for degraded in reply.get("degraded", ()):
        raise error_of(degraded)


def require_complete(reply: Mapping[str, Any]) -> None:
    """Raise also for an approximate page."""
    require_whole(reply)
    for tier in reply.get("approximate", ()):
        message = f"the {tier} tier chose entries with an index and may have missed some: set `exact` or `allow_approximate`"
        raise error_of({"code": "unsupported", "message": message})


def content_by_tier(reply: RetrieveResponse, missing: object) -> Any:
    """Return the content of the entry in the first tier that has one. Raise the error of a failed tier that precedes
    it.
    """
    for tier in TIERS:
        for degraded in reply.get("degraded", ()):
            if degraded.get("tier") == tier:
                raise error_of(degraded)
        for entry in reply["entries"]:
            if entry.get("tier") == tier:
                return entry["content"]
    return missing
