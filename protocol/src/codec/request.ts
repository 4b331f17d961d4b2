import type { z } from "zod";
import { type MemoryKey, normaliseKey, type StoreEntry, StoreEntrySchema } from "../entry/index.js";
import { checkWhere } from "../filter/index.js";
import { formatPath, isJsonObject, throwOverLimit, truncateName } from "../json.js";
import { LIMITS } from "../limits.js";
import { MemoryError } from "../memory-error.js";
import {
  MemoryAgentsRequestSchema,
  MemoryForgetRequestSchema,
  MemoryListRequestSchema,
  MemoryRetrieveRequestSchema,
  MemoryStatusRequestSchema,
  PingSchema,
  StoreEnvelopeSchema,
} from "../messages/index.js";
import { didYouMean } from "../options/nearest-name.js";
import type { RequestType } from "../subjects.js";
import { encodeMessage, type Message } from "./codec.js";

const REQUEST_SCHEMAS = {
  "memory/store/req": StoreEnvelopeSchema,
  "memory/retrieve/req": MemoryRetrieveRequestSchema,
  "memory/forget/req": MemoryForgetRequestSchema,
  "memory/status/req": MemoryStatusRequestSchema,
  "memory/list/req": MemoryListRequestSchema,
  "memory/agents/req": MemoryAgentsRequestSchema,
  ping: PingSchema,
} as const;

export type DecodedRequest = { [T in RequestType]: z.infer<(typeof REQUEST_SCHEMAS)[T]> }[RequestType];

export function isRequestType(type: unknown): type is RequestType {
  return typeof type === "string" && Object.hasOwn(REQUEST_SCHEMAS, type);
}

/**
 * Validates a decoded request. The entries of a store are not validated: see `parseStoreEntry`.
 *
 * @throws {MemoryError} `invalid_message`, `version_mismatch`, `schema_violation` or `too_large`.
 */
export function parseRequest(message: Readonly<Record<string, unknown>>): DecodedRequest {
  const { type } = message;
  if (!isRequestType(type)) {
    const near = typeof type === "string" ? didYouMean(type, Object.keys(REQUEST_SCHEMAS)) : "";
    throw new MemoryError("invalid_message", `\`type\` is not a request type${near}`, { path: "type" });
  }
  checkVersion(message.version);
  const request = dropAbsentFields(message, type === "memory/forget/req");
  if (request.where !== undefined) checkWhere(request.where);
  const fields = Object.keys(REQUEST_SCHEMAS[type].shape);
  if (fields.includes("match") && isJsonObject(request.match)) checkMatchSize(request.match);
  if (fields.includes("embedding")) checkVector(request.embedding);
  const schema: z.ZodType = REQUEST_SCHEMAS[type];
  const parsed = schema.safeParse(request);
  if (!parsed.success) throw schemaError(parsed.error, fields, request);
  return parsed.data as DecodedRequest;
}

function checkVersion(version: unknown): void {
  if (typeof version !== "string") return;
  const major = /^(\d+)(\.|$)/.exec(version)?.[1];
  const shown = truncateName(version);
  if (major !== undefined && major !== "1") {
    throw new MemoryError("version_mismatch", `unsupported version ${shown}, must be 1.x`, {
      version: shown,
    });
  }
}

/** Removes `x_` fields and absent fields: null and, except in forget, "" and [] (clauses ENV-4, ENV-6). */
function dropAbsentFields(
  message: Readonly<Record<string, unknown>>,
  strict: boolean,
): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) {
    const empty = value === "" || (Array.isArray(value) && value.length === 0 && name !== "entries");
    if (value === null || name.startsWith("x_") || (empty && !strict)) continue;
    request[name] = value;
  }
  if (request.session_id === "") delete request.session_id;
  return request;
}

const ENTRY_FIELDS = Object.keys(StoreEntrySchema.shape);

/**
 * Validates one entry of a store request.
 *
 * @throws {MemoryError} `schema_violation` or `too_large`.
 */
export function parseStoreEntry(value: unknown): StoreEntry {
  if (!isJsonObject(value))
    throw new MemoryError("schema_violation", "the entry must be an object", { path: "" });
  for (const name of Object.keys(value)) {
    if (name.startsWith("if_") && name !== "if_revision") {
      const message = `unknown condition \`${truncateName(name)}\`${didYouMean(name, ["if_revision"])}`;
      throw new MemoryError("schema_violation", message, { path: truncateName(name) });
    }
  }
  checkVector(value.embedding);
  const parsed = StoreEntrySchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ENTRY_FIELDS, value);
  checkKeySize(parsed.data.key as MemoryKey | string);
  return parsed.data;
}

/** Limits `match` to the size of a key, because it holds parts of one. */
function checkMatchSize(match: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(match));
  if (bytes > LIMITS.keyBytes) throwOverLimit("keyBytes", LIMITS.keyBytes, bytes, ["match"]);
}

/** Stops at the first component that is not a number. The schema would report all of them. */
function checkVector(vector: unknown): void {
  if (!Array.isArray(vector)) return;
  const max = LIMITS.embeddingDimensions;
  if (vector.length > max) throwOverLimit("embeddingDimensions", max, vector.length, ["embedding"]);
  const wrong = vector.findIndex((component) => typeof component !== "number");
  if (wrong < 0) return;
  const path = `embedding[${wrong}]`;
  throw new MemoryError("schema_violation", `${path} must be a number`, { path });
}

function checkKeySize(key: MemoryKey | string): void {
  // Canonical JSON sorts the fields and has the same length.
  const bytes = Buffer.byteLength(JSON.stringify(normaliseKey(key)));
  if (bytes > LIMITS.keyBytes) throwOverLimit("keyBytes", LIMITS.keyBytes, bytes, ["key"]);
}

/**
 * Checks the size of one entry in a message of `messageBytes`.
 *
 * @throws {MemoryError} `too_large` for an entry of more than 256 KiB as JSON (clause LIMIT-1).
 */
export function checkEntrySize(entry: unknown, messageBytes: number): void {
  // JSON takes at most six times the encoded bytes, so entries of small messages need no check.
  if (messageBytes * 6 <= LIMITS.entryBytes || !isJsonObject(entry)) return;
  const bytes = encodeMessage(entry as Message, "json").length;
  if (bytes > LIMITS.entryBytes) throwOverLimit("entryBytes", LIMITS.entryBytes, bytes);
}

/** Converts the first issue that the schema found to the protocol's error (clause ERR-4). */
function schemaError(error: z.ZodError, knownFields: readonly string[], value: unknown): MemoryError {
  const issue = deepestIssue(error.issues[0]!);
  const parts = issue.path as (string | number)[];
  const path = formatPath(parts);
  if (issue.code === "unrecognized_keys") {
    const name = issue.keys[0]!;
    const full = formatPath([...parts, name]);
    const message = `unknown field \`${full}\`${didYouMean(name, knownFields)}`;
    return new MemoryError("schema_violation", message, { path: full });
  }
  if (issue.code === "too_big" && SIZED_ORIGINS.has(issue.origin)) {
    const detail = { limit: path, max: Number(issue.maximum), got: sizeAt(value, issue.path), path };
    return new MemoryError(
      "too_large",
      `${path} is too large: ${detail.got}, limit ${issue.maximum}`,
      detail,
    );
  }
  return new MemoryError("schema_violation", `${path || "message"}: ${reason(issue)}`, { path });
}

/** Types with a size limit. Exceeding it is `too_large`. A number out of range is `schema_violation`. */
const SIZED_ORIGINS: ReadonlySet<string> = new Set(["array", "string", "object"]);

function reason(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) return "is required";
  return issue.message;
}

/**
 * Returns the most deeply nested issue of a union's branches, which most likely describes the intended
 * branch.
 */
function deepestIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap((branch) => branch.slice(0, 1)).map(deepestIssue);
  const best = inner.reduce<z.core.$ZodIssue | undefined>((found, candidate) => {
    const better =
      candidate.path.length > (found?.path.length ?? 0) || (!found && candidate.code === "too_big");
    return better ? candidate : found;
  }, undefined);
  return best === undefined ? issue : ({ ...best, path: [...issue.path, ...best.path] } as z.core.$ZodIssue);
}

/** Returns the number of characters of a string, elements of a list, or fields of an object. */
function sizeAt(value: unknown, path: readonly PropertyKey[]): number {
  let found = value;
  for (const part of path) found = (found as Record<PropertyKey, unknown>)[part];
  const { length } = found as { length?: unknown };
  return typeof length === "number" ? length : Object.keys(found as object).length;
}
