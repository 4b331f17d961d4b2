"""What the A2E SDK's own client sees of the gateway. Prints a JSON line a result; argv: URL, scenario."""

import contextlib
import json
import logging
import pathlib
import sys
import threading
import time

import a2e
from a2e.caps.memory import MemoryEntry
from a2e.caps.memory.client import MemoryAPI
from a2e.core.client import A2EClient
from a2e.core.transports import HTTPTransportConfig, TransportConfig, build_transport
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
    print(json.dumps({"name": name, "value": value}), file=sys.__stdout__, flush=True)


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


class ShownMemory(MemoryAPI):
    """Shows what came of each call."""

    def init(self, **fields):
        response = super().init(**fields)
        show("init", [response.success, response.namespace, response.memory_id == self.memory_id])

    def store(self, entries):
        stored, errors = super().store(entries)
        show("store", [stored, errors])
        return stored, errors

    def retrieve(self, **criteria):
        entries = super().retrieve(**criteria)
        show("retrieve", [[e.key, e.content, e.tier, e.tags] for e in entries])
        return entries

    def forget(self, **criteria):
        deleted = super().forget(**criteria)
        show("forget", deleted)
        return deleted


def cookbook(url):
    """The SDK's own example of memory, as it is, then the calls of its example of an agent, as its client is made there."""
    sys.path.append(str(pathlib.Path(a2e.__file__).parent.parent / "cookbook" / "servers"))
    import mem_api

    mem_api.MemoryAPI = ShownMemory
    config = TransportConfig(type="http", config=HTTPTransportConfig(base_url=url))
    client = A2EClient(transport=build_transport(config, LOGGER), logger=LOGGER, agent_id="agent-analytics-01", auth_token="", agent_caps=["toolkits", "env", "proc"])
    client.connect()
    show("ping", client.ping() > 0)
    with contextlib.redirect_stdout(sys.stderr):
        mem_api.run_mem(client)
    show("left", [len(MemoryAPI.retrieve(initialized(client), tags=["trace"])), len(MemoryAPI.retrieve(initialized(client), tags=["preference"]))])
    rollout(ShownMemory(client))
    client.disconnect()


def initialized(client):
    memory = MemoryAPI(client)
    memory.init(namespace="cookbook-demo")
    return memory


def rollout(memory):
    memory.init()
    for step in range(2):
        memory.retrieve(query="fix the failing test", limit=5)
        value = {"prompt": "fix the failing test", "response": "run it", "action": {"tool": "shell"}, "observation": None, "reward": 0.5}
        memory.remember(key={"episode_id": "e1", "step_idx": step}, value=value, tier="episodic", tags=["thirdparty-agent", "rollout"], ttl=0)
    show("recalled", memory.recall({"episode_id": "e1", "step_idx": 1})["reward"])


def breaks(url):
    """Waits for a line, while its connections are cut."""
    with connected(url, "alice") as client:
        memory = MemoryAPI(client)
        memory.store([entry("kept", 1)])
        show("ready", True)
        sys.stdin.readline()
        show("after", [memory.store([entry("more", 2)])[0], len(memory.retrieve(keys=[{"id": "kept"}, {"id": "more"}]))])


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


{"turns": turns, "handshakes": handshakes, "threads": threads, "restarts": restarts, "cookbook": cookbook, "breaks": breaks}[sys.argv[2]](sys.argv[1])
