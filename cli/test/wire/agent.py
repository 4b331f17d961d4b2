"""A Python agent without membus code: nats-py, hand-written JSON, and MessagePack by its header.

Prints the replies as JSON, each with its header and whether it is MessagePack."""

import asyncio
import json
import sys

import msgpack
import nats

SUBJECT = "a2e.default.python.memory.{}.req"
MSGPACK = "application/msgpack"


async def ask(connection, operation, payload, headers=None):
    reply = await connection.request(SUBJECT.format(operation), payload, timeout=20, headers=headers)
    content_type = reply.headers["Content-Type"]
    packed = content_type == MSGPACK
    message = msgpack.unpackb(reply.data) if packed else json.loads(reply.data)
    return {"content_type": content_type, "message": message}


async def main(url):
    connection = await nats.connect(url)
    entry = {"key": {"id": "snake"}, "content": {"text": "Pythons lay eggs"}, "tier": "episodic"}
    store = {"type": "memory/store/req", "id": "python-1", "entries": [entry]}
    retrieve = {"type": "memory/retrieve/req", "id": "python-2", "query": "eggs", "tier": "episodic"}
    header = {"Content-Type": MSGPACK}
    replies = [
        await ask(connection, "store", json.dumps(store).encode()),
        await ask(connection, "store", msgpack.packb({**store, "id": "python-3"}), header),
        await ask(connection, "retrieve", json.dumps(retrieve).encode()),
        await ask(connection, "retrieve", msgpack.packb(retrieve), header),
        await ask(connection, "store", b"\x81\xa4type", header),
    ]
    print(json.dumps(replies))
    await connection.close()


asyncio.run(main(sys.argv[1]))
