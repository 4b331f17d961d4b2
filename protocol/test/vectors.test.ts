import { describe, expect, it } from "vitest";
import {
  checkEntrySize,
  decodeMessage,
  detectEncoding,
  ErrorMessageSchema,
  encodeMessage,
  isMemoryError,
  isRequestType,
  MESSAGE_SCHEMAS,
  MemoryError,
  type Message,
  type MessageType,
  parseErrorMessage,
  parseRequest,
  parseRequestSubject,
  parseStoreEntry,
  readableId,
  type StoreEnvelope,
} from "../src/index.js";
import { bytesOf, INVALID, type InvalidVector, VALID, type ValidVector, withLists } from "./vector-files.js";

function decoded(vector: ValidVector): Message {
  const outcome = decodeMessage(bytesOf(vector), { contentType: vector.content_type });
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.text}`);
  return outcome.message;
}

function caught(run: () => unknown): MemoryError | undefined {
  try {
    run();
  } catch (error) {
    if (isMemoryError(error)) return error;
    throw error;
  }
  return undefined;
}

/** Returns the error codes of refused entries by index. */
function entryErrors(entries: readonly unknown[]): Record<string, string> {
  const codes = entries.map((entry, index) => [String(index), caught(() => parseStoreEntry(entry))?.code]);
  return Object.fromEntries(codes.filter(([, code]) => code !== undefined)) as Record<string, string>;
}

describe("valid vectors", () => {
  it("have the expected number, include every type, in both encodings", () => {
    expect(VALID.length).toBeGreaterThanOrEqual(60);
    const types = new Set(VALID.map(({ message }) => message.type));
    expect([...types].sort()).toEqual(Object.keys(MESSAGE_SCHEMAS).sort());
    expect(new Set(VALID.map(({ name }) => name)).size).toBe(VALID.length);
    const packed = VALID.filter(({ encoding }) => encoding === "msgpack").map(({ message }) => message.type);
    expect([...new Set(packed)].sort()).toEqual([...types].sort());
  });

  it.each(VALID.map((vector) => [vector.name, vector] as const))("%s: decodes", (_name, vector) => {
    expect(detectEncoding(bytesOf(vector), vector.content_type)).toBe(vector.encoding);
    expect(withLists(decoded(vector))).toEqual(vector.message);
  });

  it.each(VALID.map((vector) => [vector.name, vector] as const))("%s: encodes", (_name, vector) => {
    for (const encoding of ["json", "msgpack"] as const) {
      const again = decodeMessage(encodeMessage(decoded(vector), encoding));
      expect(again).toMatchObject({ ok: true, encoding });
      expect(withLists((again as { message: Message }).message)).toEqual(vector.message);
    }
  });

  it.each(VALID.map((vector) => [vector.name, vector] as const))("%s: is accepted", (_name, vector) => {
    const message = decoded(vector);
    if (isRequestType(message.type)) {
      const request = parseRequest(message);
      if (request.type !== "memory/store/req") return;
      expect(entryErrors((request as StoreEnvelope).entries)).toEqual(vector.entry_errors ?? {});
    } else {
      const parsed = MESSAGE_SCHEMAS[message.type as MessageType].parse(message);
      expect(withLists(parsed)).toEqual(vector.message);
    }
  });
});

/** Handles a message like a host up to the first error, as far as this package implements it. */
function refusal(vector: InvalidVector): { code: string; path?: unknown; detail: object; reqId?: unknown } {
  const payload = bytesOf(vector);
  const outcome = decodeMessage(payload, { contentType: vector.content_type });
  if (!outcome.ok) {
    const { code, detail, reqId } = outcome;
    return { code, path: detail.path, detail, reqId };
  }
  const { message } = outcome;
  const error = caught(() => {
    if (vector.subject !== undefined) checkSubject(vector.subject, message);
    const request = parseRequest(message);
    if (vector.entry === undefined) return;
    const entry = (request as StoreEnvelope).entries[vector.entry];
    parseStoreEntry(entry);
    checkEntrySize(entry, payload.length);
  });
  if (error === undefined) throw new Error("nothing was refused");
  return { code: error.code, path: error.detail.path, detail: error.detail, reqId: readableId(message) };
}

function checkSubject(subject: string, message: Message): void {
  const { type } = parseRequestSubject(subject);
  if (message.type !== type) throw new MemoryError("invalid_message", "not the subject's type");
}

describe("invalid vectors", () => {
  it("have the expected number", () => {
    expect(INVALID.length).toBeGreaterThanOrEqual(60);
    expect(new Set(INVALID.map(({ name }) => name)).size).toBe(INVALID.length);
  });

  it.each(INVALID.map((vector) => [vector.name, vector] as const))("%s", (_name, vector) => {
    const { code, path, detail, reqId } = refusal(vector);
    expect(code).toBe(vector.error.code);
    if (vector.error.path !== undefined) expect(path).toBe(vector.error.path);
    if (vector.error.detail !== undefined) expect(detail).toMatchObject(vector.error.detail);
    if (vector.error.req_id !== undefined) expect(reqId).toBe(vector.error.req_id);
  });

  it("do not affect the other entries of a store", () => {
    for (const vector of INVALID.filter(({ entry, parts }) => entry !== undefined && parts === undefined)) {
      const outcome = decodeMessage(bytesOf(vector));
      const { entries } = parseRequest((outcome as { message: Message }).message) as StoreEnvelope;
      expect(Object.keys(entryErrors(entries)), vector.name).toEqual([String(vector.entry)]);
    }
  });
});

describe("error replies", () => {
  it("with a code of a later version become runtime_error and keep the code", () => {
    const vector = VALID.find(({ name }) => name === "an error code of a later version")!;
    const error = parseErrorMessage(ErrorMessageSchema.parse(vector.message));
    expect(error).toMatchObject({ code: "runtime_error", retryable: false });
    expect(error.detail).toEqual({ retry_after_ms: 200, hard: true, code: "quota_exceeded" });
  });
});
