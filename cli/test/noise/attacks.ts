import { DEFAULT_PREFIX, encodeMessage, type Message } from "@membus/protocol";
import type { NatsConnection } from "@nats-io/transport-node";

/** Agent and namespace of the expensive retrieves. */
export const EXPENSIVE = { agent: "dear", namespace: "dear" };
const RETRIEVES_AT_ONCE = 16;
const MEGABYTE = "lorem ipsum ".repeat(83_000);

/** An attack of an agent on a host, which runs until its process ends. */
export type Attack = (connection: NatsConnection) => Promise<never>;

let lastId = 0;

function request(type: string, fields: Message): Uint8Array {
  return encodeMessage({ type, id: `attack-${process.pid}-${lastId++}`, ...fields }, "json");
}

/**
 * Publishes as fast as the server accepts messages, without waiting for replies. A flush confirms receipt.
 */
function publishing(
  agent: string,
  operation: string,
  flushEvery: number,
  payloadOf: (at: number) => Uint8Array,
): Attack {
  return async (connection) => {
    const reply = `_INBOX.${agent}`;
    connection.subscribe(reply, { callback: () => {} });
    for (let at = 0; ; at++) {
      connection.publish(`${DEFAULT_PREFIX}.default.${agent}.${operation}`, payloadOf(at), { reply });
      if (at % flushEvery === 0) await connection.flush();
    }
  };
}

const dearRetrieves: Attack = async (connection) => {
  const query = {
    ...{
      query: "which lake did the blue otter cross",
      namespace: EXPENSIVE.namespace,
      tier: "episodic",
      limit: 100,
    },
    ...{ diversity: 0.7, explain: true, expand: { before: 3, after: 3 }, deadline_ms: 60_000 },
  };
  const lane = async (): Promise<never> => {
    for (;;) {
      const subject = `${DEFAULT_PREFIX}.default.${EXPENSIVE.agent}.memory.retrieve.req`;
      await connection
        .request(subject, request("memory/retrieve/req", query), { timeout: 60_000 })
        .catch(() => {});
    }
  };
  return Promise.race(Array.from({ length: RETRIEVES_AT_ONCE }, lane));
};

const store = (key: string, content: string, fields: Message = {}) =>
  request("memory/store/req", { entries: [{ key, content, tier: "episodic" }], ...fields });

export const ATTACKS: Readonly<Record<string, Attack>> = {
  "1 MB stores": publishing("large", "memory.store.req", 8, (at) => store(`large${at % 50}`, MEGABYTE)),
  "expensive retrieves": dearRetrieves,
  "new scopes": publishing("scopes", "memory.store.req", 64, (at) =>
    store("k", `note ${at}`, { namespace: `n/${process.pid}/${at}` }),
  ),
  "small messages": publishing("small", "memory.retrieve.req", 256, () =>
    request("memory/retrieve/req", { keys: ["k"], tier: "working" }),
  ),
};
