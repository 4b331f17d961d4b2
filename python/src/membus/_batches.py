"""Operations on any number of keys or ids, split into requests of limited size."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable, Iterator, Mapping, Sequence, TypeVar

from ._schema import LIMITS, ForgetResponse, MemoryEntry, MemoryTier
from .aio import AsyncAgentMemory
from .errors import TooLargeError

T = TypeVar("T")


def chunks(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """Split `items` into lists of at most `size`."""
    for at in range(0, len(items), size):
        yield [*items[at : at + size]]


async def entries_of(memory: AsyncAgentMemory, tier: MemoryTier, keys: Sequence[Any], **criteria: Any) -> AsyncIterator[MemoryEntry]:
    """Yield the entries of any number of keys that also match the criteria."""
    for some in chunks(keys, LIMITS["criteriaKeys"]):
        async for entry in memory.entries(tier=tier, keys=some, **criteria):
            yield entry


async def forget_cascading(
    memory: AsyncAgentMemory, items: Sequence[Any], size: int, criteria: Callable[[list[Any]], Mapping[str, Any]]
) -> int:
    """Forget the entries selected by `criteria` for each chunk of `size` items, and everything derived from them.

    A cascade has a limit [CASC-6]. A chunk that exceeds it is halved. Derived entries are not counted in the result.
    """
    return sum([await _forget_halving(memory, some, criteria) for some in chunks(items, size)])


async def _forget_halving(
    memory: AsyncAgentMemory, items: list[Any], criteria: Callable[[list[Any]], Mapping[str, Any]]
) -> int:
    try:
        return await forget_derived(memory, criteria(items))
    except TooLargeError:
        if len(items) == 1:
            raise
        half = len(items) // 2
        return sum([await _forget_halving(memory, some, criteria) for some in (items[:half], items[half:])])


async def forget_derived(memory: AsyncAgentMemory, criteria: Mapping[str, Any]) -> int:
    """Forget the entries that match the criteria, and everything derived from them. Derived entries are not counted in
    the result.

    Raises:
        TooLargeError: If the cascade exceeds its limit. Nothing is forgotten in this case.
    """
    request: Any = {**criteria, "cascade": True}
    reply: ForgetResponse = await memory.forget(**request)
    return reply["deleted"] - sum(reply["receipt"].get("cascaded", []))
