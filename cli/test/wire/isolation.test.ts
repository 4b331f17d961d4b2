import { encodeMessage, type Message } from "@membus/protocol";
import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { sendBytes } from "./bare-request.js";
import { neighbourSteps, STEPS, type Step } from "./isolation-steps.js";
import { Wire } from "./wire-fixture.js";

/** Neighbours: an agent of the same tenant, and one of the same name in another tenant. */
const NEIGHBOURS = [
  { address: "a2e.default.bob", tiers: ["working", "episodic"] },
  { address: "a2e.other.alice", tiers: ["working", "episodic", "semantic"] },
];

async function send(nats: NatsConnection, address: string, [type, fields]: Step): Promise<Message> {
  const payload = encodeMessage({ type, deadline_ms: 60_000, ...fields }, "json");
  return (await sendBytes(nats, `${address}.${type.replaceAll("/", ".")}`, payload)).message;
}

/** Returns the replies to alice, without or with neighbours on the host. */
async function repliesToAlice(withNeighbours: boolean): Promise<Message[]> {
  const wire = await Wire.start({ binary: NATS_SERVERS[0]! });
  try {
    const nats = await wire.connection();
    const replies: Message[] = [];
    for (const [index, [type, fields]] of STEPS.entries()) {
      const neighbourRequests = withNeighbours
        ? NEIGHBOURS.map((neighbour) => sendNeighbourRequests(nats, index, neighbour))
        : [];
      replies.push(await send(nats, "a2e.default.alice", [type, { id: `step-${index}`, ...fields }]));
      await Promise.all(neighbourRequests);
    }
    return replies;
  } finally {
    await wire.close();
  }
}

/** Sends requests of neighbours, some before alice's request and some concurrently. */
async function sendNeighbourRequests(
  nats: NatsConnection,
  index: number,
  { address, tiers }: (typeof NEIGHBOURS)[number],
) {
  for (const step of neighbourSteps(index, tiers)) {
    const reply = await send(nats, address, step);
    if (step[0] !== "memory/store/req") expect(reply.type).not.toBe("error");
  }
}

/** Fields that differ between runs: ids of replies, and times. */
const PASSING = new Set(["id", "ts", "took_ms", "timestamps", "at", "as_of"]);
const GROWING = new Set(["revision", "seq"]);

/** Returns the replies without volatile fields, and with revisions replaced by their rank in the run. */
function comparable(replies: readonly Message[]): unknown {
  const revisions = new Set<number>();
  walk(replies, (name, value) => {
    if (GROWING.has(name)) revisions.add(value as number);
    return value;
  });
  const ranks = new Map([...revisions].sort((a, b) => a - b).map((revision, rank) => [revision, rank]));
  return walk(replies, (name, value) => {
    if (PASSING.has(name)) return undefined;
    if (name === "message")
      return (value as string).replace(/\d{16}/, (text) => `#${ranks.get(Number(text))}`);
    return GROWING.has(name) ? ranks.get(value as number) : value;
  });
}

/** Returns a copy with every field mapped by `visit`. Cursors are decoded. */
function walk(value: unknown, visit: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => walk(element, visit));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => {
    const opened = name === "cursor" ? JSON.parse(Buffer.from(inner, "base64url").toString()) : inner;
    return [name, walk(visit(name, opened), visit)] as const;
  });
  return Object.fromEntries(fields);
}

describe("entries of other agents", () => {
  it("change no score, total, order, revision or error of an agent", async () => {
    const [alone, among] = [await repliesToAlice(false), await repliesToAlice(true)];
    const [expected, actual] = [comparable(alone), comparable(among)] as [unknown[], unknown[]];
    for (const [index, step] of STEPS.entries()) {
      expect(actual[index], `step ${index}: ${JSON.stringify(step)}`).toEqual(expected[index]);
    }
  });

  it("are compared by replies with contents", async () => {
    const replies = await repliesToAlice(false);
    const codes = replies.flatMap((reply) => [
      reply.code,
      ...((reply.errors as Message[] | undefined) ?? []).map(({ code }) => code),
    ]);
    const seen = new Set(codes.filter((code) => code !== undefined));
    expect([...seen].sort()).toEqual(["conflict", "memory_not_found", "schema_violation"]);
    const found = replies.flatMap(({ entries }) => (entries as Message[] | undefined) ?? []);
    expect(new Set(found.map(({ score }) => score)).size).toBeGreaterThan(20);
  });
});
