"""Any number of keys or ids, in requests that take so many."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable, Iterator, Mapping, Sequence, TypeVar

from ._schema import LIMITS, ForgetResponse, MemoryEntry, MemoryTier
from .aio import AsyncMemory
from .errors import TooLargeError

T = TypeVar("T")


def chunks(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """`items` in lists of `size`, the last of what is left."""
    for at in range(0, len(items), size):
        yield [*items[at : at + size]]


async def entries_of(memory: AsyncMemory, tier: MemoryTier, keys: Sequence[Any], **criteria: Any) -> AsyncIterator[MemoryEntry]:
    """Those of any number of keys that meet the criteria, too."""
    for some in chunks(keys, LIMITS["criteriaKeys"]):
        async for entry in memory.entries(tier=tier, keys=some, **criteria):
            yield entry


async def forget_cascading(
    memory: AsyncMemory, items: Sequence[Any], size: int, criteria: Callable[[list[Any]], Mapping[str, Any]]
) -> int:
    """Forgets what `criteria` says of `size` items at a time, with all that was derived of it, which is not counted.

    A cascade takes a bounded number of entries [CASC-6]: one that is too large is done in halves."""
    return sum([await _forget_halving(memory, some, criteria) for some in chunks(items, size)])


async def _forget_halving(
    memory: AsyncMemory, items: list[Any], criteria: Callable[[list[Any]], Mapping[str, Any]]
) -> int:
    try:
        return await forget_derived(memory, criteria(items))
    except TooLargeError:
        if len(items) == 1:
            raise
        half = len(items) // 2
        return sum([await _forget_halving(memory, some, criteria) for some in (items[:half], items[half:])])


async def forget_derived(memory: AsyncMemory, criteria: Mapping[str, Any]) -> int:
    """Forgets what meets the criteria, with all that was derived of it, which is not counted. Raises `TooLargeError` for more than a
    cascade takes: then nothing is forgotten."""
    request: Any = {**criteria, "cascade": True}
    reply: ForgetResponse = await memory.forget(**request)
    return reply["deleted"] - sum(reply["receipt"].get("cascaded", []))
