import type { IncomingMessage, ServerResponse } from "node:http";
import { ERROR_CATALOGUE, isJsonObject, isMemoryError, type JsonObject, MemoryError } from "@membus/protocol";
import { readBody } from "../http/body.js";
import { answerJson } from "../http/http-server.js";
import type { Query } from "./query-fields.js";

/** An entry has at most 256 KiB. */
const BODY_BYTES_MAX = 512 * 1024;

export function queryOf({ url = "" }: IncomingMessage): Query {
  const [, ...rest] = url.split("?");
  return new URLSearchParams(rest.join("?"));
}

/** @throws {MemoryError} `too_large`, and `schema_violation` for what is no JSON object. */
export async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  // A form of another page cannot say so.
  if (request.headers["content-type"] !== "application/json") {
    throw new MemoryError("schema_violation", "the body must be application/json");
  }
  const { bytes, isWhole } = await readBody(request, BODY_BYTES_MAX);
  if (!isWhole) throw new MemoryError("too_large", `a body has at most ${BODY_BYTES_MAX} bytes`);
  try {
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    if (isJsonObject(body)) return body;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new MemoryError("schema_violation", "the body must be a JSON object");
}

/**
 * What a page is told of it: the code and the text of a `MemoryError`, and a client's `TypeError` for a criterion that is none.
 * @throws what is neither.
 */
export function answerFailure(response: ServerResponse, error: unknown): void {
  if (error instanceof TypeError) {
    return answerJson(response, 400, { error: { code: "schema_violation", message: error.message } });
  }
  if (!isMemoryError(error)) throw error;
  const { code, message, detail } = error;
  answerJson(response, ERROR_CATALOGUE[code].header, { error: { code, message, detail } });
}
