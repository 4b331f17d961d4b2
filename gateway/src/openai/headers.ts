import type { IncomingHttpHeaders } from "node:http";

/** About one connection, not about what is said on it. */
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
/** What the gateway says itself, and what is only between it and its client. */
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
/** The body comes decoded. */
const NOT_ANSWERED = new Set([...HOP_BY_HOP, "content-length", "content-encoding", "set-cookie"]);

/** Of a client's request, as the upstream gets them. */
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

/** Of the upstream's answer, as the client gets them. */
export function clientHeaders(headers: Headers): Record<string, string> {
  const named = namedIn(headers.get("connection") ?? undefined);
  return Object.fromEntries([...headers].filter(([name]) => !NOT_ANSWERED.has(name) && !named.has(name)));
}

function namedIn(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
