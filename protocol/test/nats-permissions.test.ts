import { fileURLToPath } from "node:url";
import { launchNatsServer } from "@membus/nats-server";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../bus/test/nats-server.js";
import { hostSubjects } from "../src/index.js";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Starts a server with one of the example configurations, and a client for each of its users. */
async function start(
  binary: string,
  example: string,
): Promise<(user: string, inbox: string) => Promise<NatsConnection>> {
  const configFile = fileURLToPath(new URL(`../spec/examples/${example}.conf`, import.meta.url));
  const server = await launchNatsServer({ binary, configFile });
  cleanups.push(() => server.kill());
  return async (user, inboxPrefix) => {
    const connection = await connect({ servers: server.url, user, pass: `change-${user}`, inboxPrefix });
    cleanups.push(() => connection.close());
    return connection;
  };
}

/** Answers every request with its subject, like a host with the user `membus`. */
async function serve(host: NatsConnection): Promise<{ replySubjects: string[] }> {
  const replySubjects: string[] = [];
  for (const subject of hostSubjects()) {
    const callback = (
      _error: unknown,
      message: { subject: string; reply?: string; respond(text: string): boolean },
    ) => {
      replySubjects.push(message.reply ?? "");
      message.respond(message.subject);
    };
    host.subscribe(subject, { queue: "membus", callback });
  }
  host.subscribe("$SRV.INFO.membus", { callback: (_error, message) => void message.respond("info") });
  await host.flush();
  return { replySubjects };
}

/** Returns the subject that the host received, or "refused". */
async function request(agent: NatsConnection, subject: string): Promise<string> {
  try {
    return (await agent.request(subject, "", { timeout: 10_000 })).string();
  } catch (error) {
    const { name } = (error as Error).cause as Error;
    return name === "PermissionViolationError" ? "refused" : String(error);
  }
}

/** Returns the messages on each pattern, or "refused". */
async function listen(
  agent: NatsConnection,
  patterns: readonly string[],
): Promise<Record<string, string[] | "refused">> {
  const received: Record<string, string[] | "refused"> = {};
  for (const pattern of patterns) {
    const subjects: string[] = [];
    received[pattern] = subjects;
    const callback = (error: unknown, message: { subject: string }) => {
      if (error) received[pattern] = "refused";
      else subjects.push(message.subject);
    };
    agent.subscribe(pattern, { callback });
  }
  await agent.flush();
  return received;
}

/** Publishes events and waits until all permitted events have arrived. */
async function publish(host: NatsConnection, subjects: readonly string[], agents: readonly NatsConnection[]) {
  for (const subject of subjects) host.publish(subject);
  await host.flush();
  for (const agent of agents) await agent.flush();
}

describe.each(NATS_SERVERS)("one account, on %s", (binary) => {
  it("permits an agent its own requests and no others", async () => {
    const client = await start(binary, "one-account");
    await serve(await client("membus", "_INBOX_membus"));
    const alice = await client("alice", "_INBOX_alice");
    for (const operation of ["memory.store.req", "memory.retrieve.req", "memory.list.semantic.req", "ping"]) {
      expect(await request(alice, `a2e.default.alice.${operation}`)).toBe(`a2e.default.alice.${operation}`);
    }
    for (const subject of [
      "a2e.default.bob.memory.store.req",
      "a2e.acme.alice.memory.store.req",
      "a2e.default.$OPERATOR.memory.agents.req",
      "a2e.default.alice.memory.store.resp",
      "a2e.default.alice.events.memory.working.stored",
      "$SRV.INFO.membus",
      "$JS.API.INFO",
    ]) {
      expect(await request(alice, subject), subject).toBe("refused");
    }
  });

  it("permits an agent its own inbox and events, and the shared events", async () => {
    const client = await start(binary, "one-account");
    const host = await client("membus", "_INBOX_membus");
    const bob = await client("bob", "_INBOX_bob");
    const received = await listen(bob, [
      "a2e.default.bob.events.>",
      "a2e.default.*.events.memory.semantic.>",
      "a2e.default.alice.events.>",
      "a2e.default.*.events.>",
      "_INBOX_alice.>",
      "_INBOX.>",
      ">",
    ]);
    const events = [
      "bob.events.memory.working.stored",
      "alice.events.memory.episodic.stored",
      "alice.events.memory.semantic.stored",
    ];
    await publish(
      host,
      events.map((event) => `a2e.default.${event}`),
      [bob],
    );
    expect(received).toEqual({
      "a2e.default.bob.events.>": ["a2e.default.bob.events.memory.working.stored"],
      "a2e.default.*.events.memory.semantic.>": ["a2e.default.alice.events.memory.semantic.stored"],
      "a2e.default.alice.events.>": "refused",
      "a2e.default.*.events.>": "refused",
      "_INBOX_alice.>": "refused",
      "_INBOX.>": "refused",
      ">": "refused",
    });
  });

  it("permits the host to discover other hosts, and to publish only replies and events", async () => {
    const client = await start(binary, "one-account");
    const host = await client("membus", "_INBOX_membus");
    await serve(host);
    expect(await request(host, "$SRV.INFO.membus")).toBe("info");
    for (const subject of ["a2e.default.alice.memory.store.req", "$JS.API.INFO", "_INBOX_alice.x"]) {
      expect(await request(host, subject), subject).toBe("refused");
    }
  });
});

describe.each(NATS_SERVERS)("one account per tenant, on %s", (binary) => {
  it("adds the tenant to the subject, and prevents agents from naming a tenant", async () => {
    const client = await start(binary, "account-per-tenant");
    const { replySubjects } = await serve(await client("membus", "_INBOX_membus"));
    const alice = await client("acme-alice", "_INBOX_alice");
    const bob = await client("globex-bob", "_INBOX_bob");
    expect(await request(alice, "a2e.default.alice.memory.store.req")).toBe(
      "a2e.ACME.alice.memory.store.req",
    );
    expect(await request(alice, "a2e.default.alice.ping")).toBe("a2e.ACME.alice.ping");
    expect(await request(bob, "a2e.default.bob.memory.store.req")).toBe("a2e.GLOBEX.bob.memory.store.req");
    for (const tenant of ["ACME", "GLOBEX"]) {
      expect(await request(alice, `a2e.${tenant}.alice.memory.store.req`)).toBe("refused");
    }
    expect(await request(bob, "a2e.default.alice.memory.store.req")).toBe("refused");
    expect(replySubjects.every((reply) => reply.startsWith("_R_."))).toBe(true);
  });

  it("delivers to an agent only the events of its tenant", async () => {
    const client = await start(binary, "account-per-tenant");
    const host = await client("membus", "_INBOX_membus");
    const alice = await client("acme-alice", "_INBOX_alice");
    const bob = await client("globex-bob", "_INBOX_bob");
    const shared = "a2e.default.*.events.memory.semantic.>";
    const received = [
      await listen(alice, [shared, "a2e.default.alice.events.>"]),
      await listen(bob, [shared]),
    ];
    await publish(
      host,
      [
        "a2e.ACME.alice.events.memory.working.stored",
        "a2e.ACME.carol.events.memory.semantic.stored",
        "a2e.GLOBEX.dave.events.memory.semantic.stored",
        "a2e.default.alice.events.memory.semantic.stored",
      ],
      [alice, bob],
    );
    expect(received).toEqual([
      {
        [shared]: ["a2e.default.carol.events.memory.semantic.stored"],
        "a2e.default.alice.events.>": ["a2e.default.alice.events.memory.working.stored"],
      },
      { [shared]: ["a2e.default.dave.events.memory.semantic.stored"] },
    ]);
  });
});
