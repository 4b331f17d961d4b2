"""LangGraph checkpoints: the state of a graph, to continue after a crash or an interrupt."""

from __future__ import annotations

import secrets
from typing import Any, AsyncIterator, Collection, Iterator, Sequence

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from .._identity import require_tier
from .._schema import MemoryTier
from .._values import require_number
from ._checkpoint_rows import CheckpointRows, Place, Row, thread_of
from ._client_loop import AnyMemory, ClientLoop


class MembusSaver(BaseCheckpointSaver[str]):
    """A checkpointer for the memory of one agent: `graph.compile(checkpointer=MembusSaver(memory))`.

    With a `membus.AgentMemory` all methods can be used, with an `AsyncAgentMemory` only the async ones. A checkpoint is stored
    with all its values or not at all. A failed `put` leaves at most unused values, which are deleted with their thread.

    Args:
        namespace: Namespace of the threads.
        tier: Tier of the threads, "episodic" by default.
        ttl_s: Seconds until a checkpoint expires with its values and writes. None means never.

    A `thread_id` of None is a `TypeError`, and an empty one a `ValueError`. A number or a UUID is converted to text.
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        namespace: str = "langgraph/checkpoints",
        tier: MemoryTier = "episodic",
        ttl_s: float | None = None,
        serde: SerializerProtocol | None = None,
    ) -> None:
        super().__init__(serde=serde)
        require_tier(tier)
        if ttl_s is not None:
            require_number("ttl_s", ttl_s, "seconds above 0", lambda seconds: seconds > 0)
        self._client_loop = ClientLoop(memory, namespace)
        self._rows = CheckpointRows(self._client_loop.memory, tier, ttl_s)

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version. The suffix distinguishes branches of a thread, which have the same number but other
        values.
        """
        number = 0 if current is None else int(str(current).split(".")[0])
        return f"{number + 1:032}.{secrets.token_hex(8)}"

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint named by `config`, or the latest of its thread."""
        return await self._client_loop.arun(self._get(config))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, latest first. Without `config`, those of all threads."""
        listed = self._list(config, filter, before, limit)
        while (found := await self._client_loop.arun(_next(listed))) is not None:
            yield found

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        """Store a checkpoint and the values of `new_versions`. Raise `MembusError` if that fails."""
        return await self._client_loop.arun(self._put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of a task before its step ends. Except for errors and interrupts, the first write of an
        index wins.
        """
        await self._client_loop.arun(self._put_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread with its checkpoints, values and writes."""
        await self._client_loop.arun(self._rows.forget_thread(thread_of(thread_id)))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs with their writes, and values that no other checkpoint uses."""
        await self._client_loop.arun(self._delete_for_runs(run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a whole thread."""
        await self._client_loop.arun(self._rows.copy_thread(thread_of(source_thread_id), thread_of(target_thread_id)))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each namespace, and the checkpoints on which its delta channels are based. With
        `"delete"`, keep none.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"strategy must be keep_latest or delete, got {strategy!r}")
        for thread_id in [*map(thread_of, thread_ids)]:
            if strategy == "delete":
                await self.adelete_thread(thread_id)
            else:
                await self._client_loop.arun(self._keep_latest(thread_id))

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._client_loop.run(self._get(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        listed = self._list(config, filter, before, limit)
        while (found := self._client_loop.run(_next(listed))) is not None:
            yield found

    def put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        return self._client_loop.run(self._put(config, checkpoint, metadata, new_versions))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self._client_loop.run(self._put_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        self._client_loop.run(self._rows.forget_thread(thread_of(thread_id)))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self._client_loop.run(self._delete_for_runs(run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self._client_loop.run(self._rows.copy_thread(thread_of(source_thread_id), thread_of(target_thread_id)))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self._client_loop.run(self.aprune(thread_ids, strategy=strategy))

    async def _get(self, config: RunnableConfig) -> CheckpointTuple | None:
        place = Place.of(config)
        row = await self._rows.checkpoint(place, get_checkpoint_id(config))
        return None if row is None else await self._tuple(row)

    async def _list(
        self, config: RunnableConfig | None, filter: dict[str, Any] | None, before: RunnableConfig | None, limit: int | None
    ) -> AsyncIterator[CheckpointTuple]:
        place = None if config is None else Place.of(config, is_any=config.get("configurable", {}).get("checkpoint_ns") is None)
        only = None if config is None else get_checkpoint_id(config)
        rows = self._rows.checkpoints(place, only=only, before=None if before is None else get_checkpoint_id(before))
        left = limit
        async for row in rows:
            if left is not None and left <= 0:
                return
            metadata = self.serde.loads_typed(row.metadata)
            if filter and any(metadata.get(name) != value for name, value in filter.items()):
                continue
            yield await self._tuple(row)
            left = None if left is None else left - 1

    async def _tuple(self, row: Row) -> CheckpointTuple:
        checkpoint: Checkpoint = self.serde.loads_typed(row.checkpoint)
        values = await self._rows.values(row.place, checkpoint["channel_versions"])
        writes = await self._rows.writes(row.place, row.id)
        writes.sort(key=lambda write: writes_sort_key(write.path, write.task, write.index))
        return CheckpointTuple(
            config=row.place.config(row.id),
            checkpoint={**checkpoint, "channel_values": {name: self.serde.loads_typed(value) for name, value in values.items()}},
            metadata=self.serde.loads_typed(row.metadata),
            parent_config=None if row.parent is None else row.place.config(row.parent),
            pending_writes=[(write.task, write.channel, self.serde.loads_typed(write.value)) for write in writes],
        )

    async def _put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        place = Place.of(config)
        kept: Any = dict(checkpoint)
        values = kept.pop("channel_values")
        blobs = {
            name: (version, self.serde.dumps_typed(values[name])) for name, version in new_versions.items() if name in values
        }
        stored_metadata = get_checkpoint_metadata(config, metadata)
        row = Row(
            place, checkpoint["id"], get_checkpoint_id(config), self.serde.dumps_typed(kept), self.serde.dumps_typed(stored_metadata)
        )
        await self._rows.put(row, blobs, stored_metadata.get("run_id"))
        return place.config(row.id)

    async def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> None:
        place, checkpoint_id = Place.of(config), get_checkpoint_id(config)
        if checkpoint_id is None:
            raise ValueError("checkpoint_id is missing: writes need a checkpoint")
        indexed = [
            (WRITES_IDX_MAP.get(channel, index), channel, self.serde.dumps_typed(value))
            for index, (channel, value) in enumerate(writes)
        ]
        await self._rows.put_writes(place, checkpoint_id, indexed, task_id, task_path)

    async def _delete_for_runs(self, run_ids: Sequence[str]) -> None:
        rows = [row async for run_id in _each(run_ids) async for row in self._rows.checkpoints(None, run_id=run_id)]
        for place in {row.place for row in rows}:
            await self._forget([row for row in rows if row.place == place], place)

    async def _keep_latest(self, thread_id: str) -> None:
        rows = [row async for row in self._rows.checkpoints(Place(thread_id, None))]
        for place in {row.place for row in rows}:
            own = {row.id: row for row in rows if row.place == place}
            kept = await self._needed(own)
            await self._forget([row for row in own.values() if row.id not in kept], place)

    async def _needed(self, rows: dict[str, Row]) -> set[str]:
        """Return the latest checkpoint and its ancestors, up to a full value of each delta channel. The checkpoints
        between them contain only changes.
        """
        row: Row | None = rows[max(rows)]
        needed: set[str] = set()
        deltas: set[str] | None = None
        while row is not None:
            needed.add(row.id)
            if deltas is None:
                deltas = set(self.serde.loads_typed(row.metadata).get("counters_since_delta_snapshot") or ())
            versions = self.serde.loads_typed(row.checkpoint)["channel_versions"]
            deltas -= (await self._rows.values(row.place, {name: versions[name] for name in deltas & versions.keys()})).keys()
            row = rows.get(row.parent or "") if deltas else None
        return needed

    async def _forget(self, rows: Collection[Row], place: Place) -> None:
        """Forget checkpoints with their writes, then the values that no remaining checkpoint uses."""
        if not rows:
            return
        await self._rows.forget_checkpoints(place, [row.id for row in rows])
        left = {blob async for row in self._rows.checkpoints(place) for blob in self._versions(row)}
        await self._rows.forget_values(place, {blob for row in rows for blob in self._versions(row)} - left)

    def _versions(self, row: Row) -> set[tuple[str, Any]]:
        return set(self.serde.loads_typed(row.checkpoint)["channel_versions"].items())


async def _next(iterator: AsyncIterator[CheckpointTuple]) -> CheckpointTuple | None:
    return await anext(iterator, None)


async def _each(items: Sequence[str]) -> AsyncIterator[str]:
    for item in items:
        yield item
