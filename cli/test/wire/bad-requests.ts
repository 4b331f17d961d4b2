import type { ErrorCode, ErrorDetail } from "@membus/protocol";
import { encode } from "@msgpack/msgpack";

/** A request that must be rejected as a whole, with the expected error. */
export interface BadRequest {
  readonly name: string;
  readonly subject: string;
  readonly payload: Uint8Array | string;
  readonly code: ErrorCode;
  /** Expected fields of the detail. */
  readonly detail: ErrorDetail;
}

/** Returns the subject of an operation of alice. */
function subjectOf(operation: string): string {
  return `a2e.default.alice.memory.${operation}.req`;
}

const VALID = { type: "memory/store/req", id: "bad", entries: [{ key: "a", content: "value" }] };
const JSON_TEXT = JSON.stringify(VALID);
const LEAF = { field: "tags", op: "eq", value: "a" };
const NESTED_NOTS = `${'{"not":'.repeat(1_000)}${JSON.stringify(LEAF)}${"}".repeat(1_000)}`;

/** A request on the subject of a store. */
function store(
  name: string,
  payload: BadRequest["payload"],
  code: ErrorCode,
  detail: ErrorDetail = {},
): BadRequest {
  return { name, subject: subjectOf("store"), payload, code, detail };
}

/** A request of another operation with these fields, or with this JSON. */
function other(
  operation: string,
  name: string,
  fields: object | string,
  code: ErrorCode,
  detail: ErrorDetail = {},
): BadRequest {
  const json = typeof fields === "string" ? fields : JSON.stringify(fields);
  const payload = `{"type":"memory/${operation}/req",${json.slice(1)}`;
  return { name, subject: subjectOf(operation), payload, code, detail };
}

function withContent(json: string): string {
  return JSON_TEXT.replace('"value"', json);
}

function withField(json: string): string {
  return JSON_TEXT.replace("{", `{${json},`);
}

/** Encodes MessagePack, and replaces the bytes of one text with others of the same length. */
function packed(message: object, text: string, bytes: string): Uint8Array {
  return Buffer.from(Buffer.from(encode(message)).toString("latin1").replace(text, bytes), "latin1");
}

function packedContent(content: unknown): object {
  return { ...VALID, entries: [{ key: "a", content }] };
}

export const BAD_BYTES: readonly BadRequest[] = [
  store("not JSON", "store this", "parse_error"),
  store("truncated JSON", JSON_TEXT.slice(0, -3), "parse_error"),
  store("nothing", "", "parse_error"),
  store("truncated MessagePack", encode(VALID).slice(0, -2), "parse_error"),
  store("an array", `[${JSON_TEXT}]`, "invalid_message"),
  store("NaN in JSON", withContent("NaN"), "parse_error"),
  store("NaN in MessagePack", encode(packedContent(Number.NaN)), "schema_violation", {
    path: "entries[0].content",
  }),
  store("2^60", withContent(String(2n ** 60n)), "schema_violation", { path: "entries[0].content" }),
  store("5,000 levels", withContent("[".repeat(5_000) + "]".repeat(5_000)), "too_large", { limit: "depth" }),
  store("__proto__ at the top", withField('"__proto__":{}'), "schema_violation", { path: "" }),
  store("__proto__ in a key", JSON_TEXT.replace('"a"', '{"__proto__":1}'), "schema_violation", {
    path: "entries[0].key",
  }),
  store("__proto__ deep inside", withContent('[{"a":{"__proto__":{}}}]'), "schema_violation", {
    path: "entries[0].content[0].a",
  }),
  store(
    "__proto__ in MessagePack",
    packed({ ...VALID, __PROTO__: {} }, "__PROTO__", "__proto__"),
    "parse_error",
  ),
  store(
    "__proto__ deep in MessagePack",
    packed(packedContent([{ a: { __PROTO__: 1 } }]), "__PROTO__", "__proto__"),
    "parse_error",
  ),
  store("a lone surrogate", withContent('"\\ud800"'), "schema_violation", { path: "entries[0].content" }),
  store("a lone surrogate in a name", withContent('{"\\udc00":1}'), "schema_violation"),
  store(
    "a lone surrogate in MessagePack",
    packed(packedContent("lone"), "one", "\xed\xa0\x80"),
    "parse_error",
  ),
];

export const BAD_ENVELOPES: readonly BadRequest[] = [
  store("no type", '{"id":"bad"}', "invalid_message", { path: "type" }),
  other("retrieve", "a type that differs from the subject", `{${JSON_TEXT.slice(1)}`, "invalid_message"),
  {
    ...store("a bad agent token", JSON_TEXT, "invalid_message"),
    subject: "a2e.default.a%b.memory.store.req",
  },
  {
    ...store("a needless escape", JSON_TEXT, "invalid_message"),
    subject: "a2e.default.=YQ.memory.store.req",
  },
  store("another major version", withField('"version":"2.0"'), "version_mismatch", { version: "2.0" }),
  store("a zero deadline", withField('"deadline_ms":0'), "schema_violation", { path: "deadline_ms" }),
  store("a required feature that no host has", withField('"requires":["magic"]'), "unsupported", {
    feature: "magic",
  }),
  store("a store to a subtree", withField('"namespace":"a/**"'), "schema_violation", { path: "namespace" }),
  store("no entries", '{"type":"memory/store/req"}', "schema_violation", { path: "entries" }),
];

const MANY_TAGS = Array.from({ length: 10_000 }, String);
const MANY_NODES = { any: Array(9_999).fill(LEAF) };

export const BAD_CRITERIA: readonly BadRequest[] = [
  other("retrieve", "a field of another type", { limit: "ten" }, "schema_violation", { path: "limit" }),
  other("retrieve", "an unknown tier", { tier: "longterm" }, "schema_violation", { path: "tier" }),
  other("retrieve", "an unknown field", { tag: ["a"] }, "schema_violation", { path: "tag" }),
  other("retrieve", "a limit of 1e308", '{"limit":1e308}', "schema_violation", { path: "limit" }),
  other("retrieve", "10,000 tags", { tags: MANY_TAGS }, "too_large", {
    limit: "tags",
    max: 256,
    got: 10_000,
  }),
  other("retrieve", "10,000 nodes", { where: MANY_NODES }, "too_large", { limit: "whereNodes", max: 64 }),
  other("retrieve", "1,000 levels of not", `{"where":${NESTED_NOTS}}`, "too_large", { limit: "depth" }),
  other("retrieve", "an invalid cursor", { cursor: "c3VyZQ" }, "schema_violation", { path: "cursor" }),
  other("forget", "an unknown field", { tier: "working", tagz: ["a"] }, "schema_violation", { path: "tagz" }),
  other("forget", "an empty criterion", { tier: "working", tags: [] }, "schema_violation", { path: "tags" }),
  other("forget", "the whole semantic tier without --all", { tier: "semantic" }, "schema_violation", {
    path: "all",
  }),
  other("status", "an unknown request", { request_id: "never sent" }, "memory_not_found"),
];
