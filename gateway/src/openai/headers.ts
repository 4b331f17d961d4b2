import type { IncomingHttpHeaders } from "node:http";

/** Headers of one connection, which are not passed on. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
/** Headers that the gateway sets, or that only concern its client. */
const NOT_SENT = new Set([
  ...HOP_BY_HOP,
  "host",
  "content-length",
  "accept-encoding",
  "authorization",
  "cookie",
  "expect",
  "origin",
  "referer",
]);
/** Includes the encoding, because the body is decoded. */
const NOT_ANSWERED = new Set([...HOP_BY_HOP, "content-length", "content-encoding", "set-cookie"]);

/** Returns the headers of a client's request for the upstream. */
export function upstreamHeaders(
  headers: IncomingHttpHeaders,
  authorization: string | undefined,
): Record<string, string> {
  const named = namedIn(headers.connection);
  const sent = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || NOT_SENT.has(name) || named.has(name) || name.startsWith("x-membus-"))
      return [];
    return [[name, Array.isArray(value) ? value.join(", ") : value]];
  });
  return {
    ...(Object.fromEntries(sent) as Record<string, string>),
    "accept-encoding": "identity",
    ...(authorization !== undefined && { authorization }),
  };
}

/** Returns the headers of an upstream response for the client. */
export function clientHeaders(headers: Headers): Record<string, string> {
  const named = namedIn(headers.get("connection") ?? undefined);
  return Object.fromEntries([...headers].filter(([name]) => !NOT_ANSWERED.has(name) && !named.has(name)));
}

function namedIn(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
