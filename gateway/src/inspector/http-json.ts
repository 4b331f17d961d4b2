import { boundedBody, type HttpContext, type HttpEnv, jsonResponse } from "@membus/http";
import { ERROR_CATALOGUE, isJsonObject, isMemoryError, type JsonObject, MemoryError } from "@membus/protocol";
import type { MiddlewareHandler } from "hono";
import type { Query } from "./query-fields.js";

/** Largest body in bytes. An entry has at most 256 KiB. */
const BODY_BYTES_MAX = 512 * 1024;
/** Largest body of a login in bytes. It is read before the token is known. */
const LOGIN_BYTES_MAX = 8 * 1_024;

export function queryOf(c: HttpContext): Query {
  const [, ...rest] = c.env.incoming.url!.split("?");
  return new URLSearchParams(rest.join("?"));
}

type BodyReaders = readonly [MiddlewareHandler<HttpEnv>, MiddlewareHandler<HttpEnv>];

/** Middlewares that read a JSON body. */
export const JSON_BODY = jsonBody(BODY_BYTES_MAX);
export const LOGIN_BODY = jsonBody(LOGIN_BYTES_MAX);

/** An HTML form of a foreign page cannot send this content type. */
function jsonBody(bytesMax: number): BodyReaders {
  return [
    (c, next) => {
      if (c.env.incoming.headers["content-type"] === "application/json") return next();
      throw new MemoryError("schema_violation", "the body must be application/json");
    },
    boundedBody(bytesMax, () => {
      throw new MemoryError("too_large", `a body has at most ${bytesMax} bytes`);
    }),
  ];
}

/** @throws {MemoryError} `schema_violation` if the body is not a JSON object. */
export function bodyOf(c: HttpContext): JsonObject {
  try {
    const body: unknown = JSON.parse(c.get("body").bytes.toString("utf8"));
    if (isJsonObject(body)) return body;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new MemoryError("schema_violation", "the body must be a JSON object");
}

/**
 * Returns the code and the message of a `MemoryError`, or of a client's `TypeError` for an invalid criterion.
 * @throws any other error.
 */
export function errorResponse(c: HttpContext, error: unknown): Response {
  if (error instanceof TypeError) {
    return jsonResponse(c, 400, { error: { code: "schema_violation", message: error.message } });
  }
  if (!isMemoryError(error)) throw error;
  const { code, message, detail } = error;
  return jsonResponse(c, ERROR_CATALOGUE[code].header, { error: { code, message, detail } });
}
