import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { bytesOf, INVALID, type InvalidVector } from "../../../protocol/test/vector-files.js";
import { BAD_BYTES, BAD_CRITERIA, BAD_ENVELOPES, type BadRequest } from "./bad-requests.js";
import { ask, sendBytes } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const SERVED = /^a2e\.[^.]+\.[^.]+\.(memory\.[^.]+\.req|ping)$/;

const named = <T extends { readonly name: string }>(list: readonly T[]) =>
  list.map((item) => [item.name, item] as const);

describe.each(NATS_SERVERS)("an invalid request over %s", (binary) => {
  let wire: Wire;
  let nats: NatsConnection;

  beforeAll(async () => {
    wire = await Wire.start({ binary });
    nats = await wire.connection();
  });
  afterAll(() => wire?.close());

  async function expectAlive(): Promise<void> {
    const entries = [{ key: "alive", content: "yes", tier: "episodic" }];
    expect(await ask(nats, "bob", "memory/store/req", { entries })).toMatchObject({ errors: [] });
    expect(await ask(nats, "bob", "memory/retrieve/req", { keys: ["alive"] })).toMatchObject({ total: 1 });
  }

  async function expectRefused({ subject, payload, code, detail }: BadRequest): Promise<void> {
    const { message, errorCode } = await sendBytes(nats, subject, payload);
    expect(message).toMatchObject({ type: "error", code, detail });
    expect(errorCode).toMatch(/^[45]\d\d$/);
    await expectAlive();
  }

  it.each(named(BAD_BYTES))("%s", (_name, request) => expectRefused(request));
  it.each(named(BAD_ENVELOPES))("%s", (_name, request) => expectRefused(request));
  it.each(named(BAD_CRITERIA))("%s", (_name, request) => expectRefused(request));

  it("suggests the nearest known field", async () => {
    const { message } = await ask(nats, "alice", "memory/forget/req", { tier: "working", tagz: ["a"] });
    expect(message).toBe("unknown field `tagz` (did you mean `tags`?)");
  });

  it("of every golden vector is rejected as expected", async () => {
    const refused = INVALID.filter(({ subject }) => subject === undefined || SERVED.test(subject));
    expect(refused.length).toBeGreaterThan(150);
    for (const vector of refused) {
      const { message } = await sendBytes(nats, subjectFor(vector), bytesOf(vector), vector.content_type);
      expect([vector.name, refusalIn(message, vector)]).toEqual([vector.name, vector.error.code]);
      if (vector.error.req_id !== undefined) expect(message.req_id).toBe(vector.error.req_id);
    }
    await expectAlive();
  });
});

/** Returns the subject of the vector, or the subject of its type if that is readable. */
function subjectFor(vector: InvalidVector): string {
  if (vector.subject !== undefined) return vector.subject;
  const bytes = Buffer.from(bytesOf(vector)).toString("latin1");
  const type = /memory\/(store|retrieve|list|forget|status)\/req|ping/.exec(bytes)?.[0] ?? "memory/store/req";
  return `a2e.default.alice.${type.replaceAll("/", ".")}`;
}

function refusalIn(message: Record<string, unknown>, { entry }: InvalidVector): unknown {
  if (entry === undefined) return message.code;
  const errors = message.errors as { index: number; code: string }[];
  return errors.find(({ index }) => index === entry)?.code;
}
