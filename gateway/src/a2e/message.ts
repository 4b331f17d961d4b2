import { randomBytes } from "node:crypto";
import { type Json, MemoryError } from "@membus/protocol";

/** A message of a client. Only its envelope is validated. */
export interface A2eMessage {
  readonly type: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A message to a client, as lines of an event. The lines joined are the JSON text. */
export type Lines = readonly string[];

const VERSION = "1.0";
const ID_LENGTH_MAX = 120;

/** @throws {MemoryError} `parse_error` for invalid JSON, `invalid_message` for an invalid envelope. */
export function parseMessage(text: string): A2eMessage {
  const fields = parseObject(text);
  const { type, id, version, a2e = version } = fields;
  if (typeof type !== "string")
    throw new MemoryError("invalid_message", "a message has a `type`", { path: "type" });
  if (typeof id !== "string" || id === "" || id.length > ID_LENGTH_MAX) {
    throw new MemoryError("invalid_message", `an \`id\` has 1..${ID_LENGTH_MAX} characters`, { path: "id" });
  }
  if (a2e !== undefined && String(a2e).split(".")[0] !== "1") {
    throw new MemoryError("version_mismatch", `unsupported version ${String(a2e)}, use version 1`);
  }
  return { type, id, fields };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new MemoryError("parse_error", "not JSON", {}, { cause: error });
  }
  throw new MemoryError("parse_error", "a message is an object");
}

/** Returns the id of a message that was not parsed, "" if the message does not start with one. */
export function idAtHead(text: string): string {
  return /^\{[^{}[\]]{0,200}?"id"\s*:\s*"([0-9A-Za-z-]{1,64})"/.exec(text)?.[1] ?? "";
}

/** `now`: Unix seconds. */
export function replyLines(
  type: string,
  reqId: string,
  fields: Readonly<Record<string, unknown>>,
  now: number,
): Lines {
  const envelope = { type, id: randomBytes(16).toString("hex"), version: VERSION, a2e: VERSION, ts: now };
  return lines({ ...envelope, req_id: reqId, ...fields });
}

export function errorLines(error: MemoryError, reqId: string, now: number): Lines {
  const { code, message, detail, retryable } = error;
  return replyLines("error", reqId, { code, message, detail, retryable, capability_name: "memory" }, now);
}

/**
 * Puts each element of a list field on a separate line, because the SDK reads a long line in quadratic
 * time.
 */
function lines(message: Readonly<Record<string, unknown>>): Lines {
  const parts = Object.entries(message).map(([name, value]) => {
    const items = Array.isArray(value) && value.length > 0 ? value.map(ascii) : undefined;
    if (items === undefined) return [`${ascii(name)}:${ascii(value)}`];
    return [`${ascii(name)}:[`, ...items.map((item, n) => (n < items.length - 1 ? `${item},` : item)), "]"];
  });
  const texts = parts.flatMap((part, n) =>
    n < parts.length - 1 ? [...part.slice(0, -1), `${part.at(-1)},`] : part,
  );
  return ["{", ...texts, "}"];
}

/** Escapes all other characters. Some clients split lines at U+0085, U+2028 and U+2029. */
function ascii(value: unknown): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value as Json).replaceAll(/[\u007f-\uffff]/g, escaped);
}
