"""What the A2E SDK's own client sees of the gateway. Prints a JSON line a result; argv: URL, scenario."""

import contextlib
import json
import logging
import sys
import threading
import time

from a2e.caps.memory import MemoryEntry
from a2e.caps.memory.client import MemoryAPI
from a2e.core.client import A2EClient
from a2e.core.transports.http import HTTPTransport

LOGGER = logging.getLogger("sdk")
logging.basicConfig(stream=sys.stderr, level=logging.WARNING)


def connect(url, agent, token="", caps=("memory",)):
    transport = HTTPTransport(url, LOGGER)
    client = A2EClient(transport, LOGGER, agent_id=agent, agent_caps=list(caps), auth_token=token)
    client.connect()
    return client


@contextlib.contextmanager
def connected(url, agent):
    client = connect(url, agent)
    try:
        yield client
    finally:
        client.disconnect()


def show(name, value):
    print(json.dumps({"name": name, "value": value}), flush=True)


def failure(call):
    try:
        return {"ok": call()}
    except Exception as error:  # what the SDK raises is what is shown
        return {"raised": type(error).__name__, "text": str(error)}


def entry(name, content, tier="episodic", **fields):
    return MemoryEntry(key={"id": name}, content=content, tier=tier, **fields)


def turns(url):
    with connected(url, "alice") as client:
        show("capabilities", [c.capability for c in client.capabilities()])
        client.ping()
        memory = MemoryAPI(client)
        stored, errors = memory.store([entry("a", {"text": "Earth orbits the Sun"}, "semantic", tags=["fact"]), entry("b", {"step": 3}, "working", ttl=60)])
        show("stored", [stored, errors])
        bad = memory.store([entry("good", 1), entry("bad", 2, "nowhere"), {"content": 1}])
        show("bad entry", [bad[0], [text.split(":")[1].strip() for text in bad[1]]])
        found = memory.retrieve(query="orbits of the sun", tier="semantic", limit=5)
        show("query", [[e.content, e.tier, e.tags, e.ttl, e.source, e.score > 0] for e in found])
        show("ttl", [e.ttl for e in memory.retrieve(keys=[{"id": "b"}])])
        many, errors = memory.store([entry(f"n{n}", {"n": n}, tags=["many"]) for n in range(200)])
        show("many", [len(many), errors, len(memory.retrieve(tags=["many"], limit=500))])
        show("forget nothing", memory.forget(tier=""))
        show("forget tag", memory.forget(tags=["many"], tier="episodic"))
        show("forget key", [memory.forget(keys=[{"id": "good"}]), len(memory.retrieve(keys=[{"id": "good"}]))])
        scripts = {"text": "line\u2028paragraph\u2029next\u0085 \u00e9 \U0001f600 \u4f60", "list": [1, None, {"a": []}]}
        memory.store([entry("scripts", scripts)])
        show("scripts", memory.retrieve(keys=[{"id": "scripts"}])[0].content == scripts)
        large = {"text": "x" * 160_000}
        for n in range(10):
            memory.store([entry(f"large{n}", large, tags=["large"])])
        began = time.monotonic()
        show("large", sum(len(e.content["text"]) for e in memory.retrieve(tags=["large"], limit=10)))
        print(f"1.6 MB came in {time.monotonic() - began:.2f} s", file=sys.stderr)
        show("too large", failure(lambda: memory.store([entry("huge", "x" * 2_000_000)])))
        memory.store([{"key": {"name": "user_name"}, "content": "Alice", "tier": "working"}])
        show("recall", memory.recall({"name": "user_name"}))
        show("unknown type", failure(lambda: client.rpc(unknown_request())))
        show("isolation", isolation(url, memory))


def unknown_request():
    from a2e.caps.base.protocol import A2EMessage

    return A2EMessage(type="tool/list/req")


def isolation(url, memory):
    memory.store([entry("secret", "of alice")])
    with connected(url, "bob") as client:
        bob = MemoryAPI(client)
        bob.init()
        own = [len(bob.retrieve(keys=[{"id": "secret"}])), len(bob.retrieve(keys=[{"id": "a"}]))]
        bob.memory_id = memory.memory_id
        return own + [failure(lambda: bob.retrieve(keys=[{"id": "secret"}]))["raised"]]


def handshakes(url):
    show("right", failure(lambda: connect(url, "alice", "right").disconnect()))
    show("any agent", failure(lambda: connect(url, "carol", "shared").disconnect()))
    show("wrong", failure(lambda: connect(url, "alice", "wrong")))
    show("none", failure(lambda: connect(url, "alice")))
    client = connect(url, "alice", "right", caps=("toolkits", "env"))
    show("other capabilities", [len(client.capabilities()), MemoryAPI(client).store([entry("a", 1)])[0]])
    client.disconnect()


def threads(url):
    with connected(url, "alice") as client:
        memory = MemoryAPI(client)
        memory.init()
        stored = []

        def work(number):
            for n in range(25):
                stored.extend(memory.store([entry(f"{number}-{n}", n, tags=["threads"])])[0])

        workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        show("threads", [len(stored), len(memory.retrieve(tags=["threads"], limit=500))])


def restarts(url):
    """Waits for a line before each step: the gateway is killed and started again in between."""
    client = connect(url, "alice")
    memory = MemoryAPI(client)
    memory.store([entry("kept", 1)])
    memory.store([entry("scratch", 2, "working")])
    show("ready", True)
    for line in sys.stdin:
        if line.strip() == "end":
            break
        show("after", [failure(lambda: len(memory.retrieve(keys=[{"id": "kept"}, {"id": "scratch"}])))])
    began = time.monotonic()
    client.disconnect()
    show("disconnected at once", time.monotonic() - began < 4)


{"turns": turns, "handshakes": handshakes, "threads": threads, "restarts": restarts}[sys.argv[2]](sys.argv[1])
