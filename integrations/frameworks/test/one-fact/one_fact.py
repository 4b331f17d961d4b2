"""Programs in Python that write and find facts: a request on each line of standard input, an answer on each of standard output."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint

from membus import aio
from membus.langgraph import MembusSaver, MembusStore
from membus.mem0 import Mem0Memory

ITEMS = ("people", "ada")
THREAD: Any = {"configurable": {"thread_id": "talk", "checkpoint_ns": ""}}


class Programs:
    def __init__(self, memory: aio.AsyncMemory) -> None:
        self._memory = memory
        self._mem0 = Mem0Memory(memory)
        self._store = MembusStore(memory)
        self._saver = MembusSaver(memory)

    async def write_client(self, namespace: str, text: str) -> None:
        await self._memory.in_namespace(namespace).remember(text, text, tier="episodic")

    async def find_client(self, namespace: str, question: str) -> Any:
        return (await self._memory.retrieve(namespace=namespace, query=question))["entries"]

    async def write_mem0(self, text: str) -> None:
        await self._mem0.add(text, user_id="ada")

    async def find_mem0(self, question: str) -> Any:
        return await self._mem0.search(question, filters={"user_id": "ada"})

    async def write_store(self, text: str) -> None:
        await self._store.aput(ITEMS, text, {"said": text})

    async def find_store(self, question: str) -> Any:
        return [item.value for item in await self._store.asearch(ITEMS, query=question)]

    async def write_saver(self, text: str) -> None:
        versions: Any = {"said": self._saver.get_next_version(None, None)}
        checkpoint: Any = {**empty_checkpoint(), "channel_values": {"said": text}, "channel_versions": versions}
        await self._saver.aput(THREAD, checkpoint, {"source": "input", "step": 0, "parents": {}}, versions)

    async def find_saver(self, question: str) -> Any:
        return [found.checkpoint["channel_values"] async for found in self._saver.alist(THREAD)]

    async def put_item(self, key: str, value: Any) -> None:
        await self._store.aput(ITEMS, key, value)

    async def filter_items(self, filter: Any) -> Any:
        return [[item.key, item.value] for item in await self._store.asearch(ITEMS[:1], filter=filter)]

    async def list_items(self) -> Any:
        return await self._store.alist_namespaces()


async def main(url: str, agent: str) -> None:
    async with await aio.connect(url, agent=agent) as memory:
        programs = Programs(memory)
        while line := await asyncio.to_thread(sys.stdin.readline):
            request = json.loads(line)
            answer = await getattr(programs, request.pop("call"))(**request)
            print(json.dumps(answer), flush=True)


asyncio.run(main(*sys.argv[1:]))
