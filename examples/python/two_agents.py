"""Two agents that share a memory, and a retried store.

Run `python two_agents.py`. The bus is at NATS_URL or nats://127.0.0.1:4222."""

import os
import uuid

import membus

SERVERS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")


def main() -> None:
    # A unique namespace, so that the data of this run can be deleted at the end.
    namespace = f"example/{uuid.uuid4()}"
    with (
        membus.connect(SERVERS, agent="scout", namespace=namespace) as scout,
        membus.connect(SERVERS, agent="writer", namespace=namespace) as writer,
        writer.watch(tier="semantic", action="stored", namespace=namespace) as seen,
    ):
        # The semantic tier is shared by all agents of a tenant. The other tiers are private.
        scout.store({"key": {"fact": "pump"}, "content": {"text": "Pump P2 cools line 4"}, "tier": "semantic"})
        scout.remember("hunch", "The seal of P2 is worn", tier="episodic")
        print("writer is notified of", next(seen)["key"])
        found = writer.retrieve(query="what keeps line 4 cold?", tier="semantic", limit=1)
        print("writer finds", found["entries"][0]["content"]["text"])
        print("writer can read the hunch:", writer.recall("hunch", "no"))

        # A store with the same id is applied once, even if another process repeats it after a
        # crash.
        order = {"key": "order 71", "content": {"line": 4}, "tier": "episodic", "if_revision": 0}
        outcomes = [writer.store(order, id=f"{namespace}/order")["receipts"][0]["outcome"] for _ in range(2)]
        print("the order is", " and ".join(outcomes))

        try:
            writer.remember("broken", {"text": "x" * 300_000})
        except membus.TooLargeError as error:
            print("too large:", error.detail["got"], "bytes, limit", error.detail["max"])

        for agent in (scout, writer):
            agent.forget(all=True)
        print("left:", sum(agent.retrieve(limit=0)["total"] for agent in (scout, writer)))


if __name__ == "__main__":
    main()
