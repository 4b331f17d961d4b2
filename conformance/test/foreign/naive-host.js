// A memory host without any code of membus, written only from the protocol text. Usage: node naive-host.js
// URL PREFIX
import { createHash, randomUUID } from "node:crypto";
import { connect, headers } from "@nats-io/transport-node";

const [servers, prefix] = process.argv.slice(2);
const connection = await connect({ servers });
const id = randomUUID();
const memories = new Map();
const features = { similarity: false, full_text: true, ttl: false, durable: false, shared: false };
const steering = {
  fields: false,
  recency: false,
  diversity: false,
  expand: false,
  explain: false,
  rerank: false,
};
const promises = { context: false, absolute: false, generations: false };
const others = { conditional: true, eviction: false, subtree: false, queued: false };
const offered = { ...features, ...others, ...steering, ...promises };
const manifest = { contract: "1.0", name: "dict", version: "0.1.0", features: offered };

const operations = {
  "memory.store.req": store,
  "memory.retrieve.req": retrieve,
  "memory.forget.req": forget,
  ping: () => ({ type: "pong", host_id: id, tiers: ["working"] }),
};

function store(memory, { id: requestId, entries, namespace = "default" }, agent) {
  const now = Date.now() / 1000;
  const receipts = entries.map((entry, index) => {
    const key = typeof entry.key === "string" ? { name: entry.key } : entry.key;
    const key_hash = createHash("sha256").update(JSON.stringify(key)).digest("hex");
    const former = memory.get(key_hash);
    const revision = (former?.revision ?? 0) + 1;
    const timestamps = { created: now, updated: now, accessed: now };
    const from = { tier: "working", namespace, source: agent, author: agent, occurred_at: now, timestamps };
    const worth = { score: entry.score ?? 1, importance: 1, ttl: entry.ttl || null, revision, seq: revision };
    memory.set(key_hash, {
      ...from,
      ...worth,
      tags: [],
      ...entry,
      ttl: worth.ttl,
      score: worth.score,
      key,
      key_hash,
    });
    return {
      index,
      key_hash,
      outcome: former ? "updated" : "created",
      revision,
      event_id: `${requestId}/${index}`,
    };
  });
  const stored = receipts.map(({ key_hash }) => memory.get(key_hash).key);
  return { type: "memory/store/resp", stored, receipts, errors: [] };
}

function select(memory, { keys, tags, query }) {
  const hashes = keys?.map((key) => {
    if (typeof key === "string")
      return createHash("sha256")
        .update(JSON.stringify({ name: key }))
        .digest("hex");
    return key.$hash ?? createHash("sha256").update(JSON.stringify(key)).digest("hex");
  });
  return [...memory.values()].filter(
    (entry) =>
      (!hashes || hashes.includes(entry.key_hash)) &&
      (!tags || tags.some((tag) => entry.tags.includes(tag))) &&
      (!query || JSON.stringify(entry.content).includes(query)),
  );
}

function retrieve(memory, request) {
  const entries = select(memory, request);
  const total = entries.length;
  return { type: "memory/retrieve/resp", entries, total, total_relation: "eq", took_ms: {} };
}

function forget(memory, request) {
  const found = select(memory, request);
  for (const { key_hash } of found) memory.delete(key_hash);
  const receipt = {
    id: randomUUID(),
    at: Date.now() / 1000,
    by_tier: { working: found.length },
    purge: "done",
  };
  return { type: "memory/forget/resp", deleted: found.length, receipt };
}

function failed(code, message) {
  return { type: "error", code, message, detail: {}, retryable: false, capability_name: "memory" };
}

function answer(message) {
  const [agent, ...operation] = message.subject
    .slice(prefix.length + 1)
    .split(".")
    .slice(1);
  let request = {};
  let reply;
  try {
    request = JSON.parse(new TextDecoder().decode(message.data));
    const memory = memories.get(agent) ?? new Map();
    memories.set(agent, memory);
    const run = operations[operation.join(".")];
    reply = run ? run(memory, request, agent) : failed("unsupported", "unknown operation");
  } catch (error) {
    reply = failed("runtime_error", error.message);
  }
  const envelope = { id: randomUUID(), version: "1.0", ts: Date.now() / 1000, req_id: request?.id ?? null };
  const contentType = headers();
  contentType.set("Content-Type", "application/json");
  const bytes = JSON.stringify({ ...reply, ...envelope });
  if (bytes.length <= connection.info.max_payload) message.respond(bytes, { headers: contentType });
}

function describe(message) {
  const plugins = JSON.stringify({ working: manifest });
  const metadata = { prefix, protocol_version: "1.0", tiers: "working", tenants: "default", plugins };
  const type = "io.nats.micro.v1.info_response";
  message.respond(JSON.stringify({ type, name: "membus", id, version: "0.1.0", metadata }));
}

connection.subscribe(`${prefix}.*.*.memory.*.req`, {
  queue: "membus",
  callback: (_, message) => answer(message),
});
connection.subscribe(`${prefix}.*.*.ping`, { queue: "membus", callback: (_, message) => answer(message) });
connection.subscribe("$SRV.INFO.membus", { callback: (_, message) => describe(message) });
await connection.flush();
console.log("ready");
