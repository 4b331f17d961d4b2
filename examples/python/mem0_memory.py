"""A program written for mem0, running on membus.

Run `python mem0_memory.py`. The bus is at NATS_URL or nats://127.0.0.1:4222."""

import asyncio
import os
import uuid

from membus import aio
from membus.mem0 import Mem0Memory

SERVERS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")


async def main() -> None:
    # Unique users, so that the data of this run can be deleted at the end.
    run = uuid.uuid4()
    ada, bob = f"ada-{run}", f"bob-{run}"
    async with await aio.connect(SERVERS, agent="assistant") as client:
        memory = Mem0Memory(client)
        said = [
            {"role": "user", "content": "I prefer the night train to Lisbon"},
            {"role": "user", "content": "I am allergic to nuts"},
        ]
        print("added:", len((await memory.add(said, user_id=ada))["results"]))
        print("added again:", [result["event"] for result in (await memory.add(said, user_id=ada))["results"]])
        for user in (ada, bob):
            found = await memory.search("which train?", filters={"user_id": user}, top_k=1)
            print(f"found for {user[:3]}:", [item["memory"] for item in found["results"]])
        for user in (ada, bob):
            await memory.delete_all(user_id=user)
        print("left:", len((await memory.get_all(filters={"user_id": ada}))["results"]))


if __name__ == "__main__":
    asyncio.run(main())
