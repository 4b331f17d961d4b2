import { isIPv6 } from "node:net";
import type { MiddlewareHandler } from "hono";
import type { HttpContext, HttpEnv } from "./http-context.js";

export type CallerRefusal = "foreign_host" | "foreign_origin";

/** Which `Host` and `Origin` headers are accepted. */
export interface CallerRules {
  /** @param host the header as it was sent, "" if it is absent. */
  isHostAllowed(host: string): boolean;
  /** Called only for a request that has an `Origin`. */
  isOriginAllowed(origin: string, host: string): boolean;
  /** Returns true for the path of a public document, which pages of any origin may read. */
  isPublic?(path: string): boolean;
}

const HOST_PATTERN = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;
const BEARER_PATTERN = /^Bearer +(\S+)$/i;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Returns the host of a `Host` header in lower case, without port and brackets; "" if the header is invalid. */
export function hostnameOf(host: string): string {
  const [, address, name] = HOST_PATTERN.exec(host) ?? [];
  return (address ?? name ?? "").toLowerCase();
}

/**
 * Refuses requests that a foreign web page sends through the browser of a user who can reach this server. Such a request has the
 * page's `Origin`, or the page's `Host` if the page's name was rebound to this address.
 */
export function checkCaller(
  rules: CallerRules,
  refuse: (c: HttpContext, cause: CallerRefusal) => Response,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const { host = "", origin } = c.env.incoming.headers;
    if (!rules.isHostAllowed(host)) return refuse(c, "foreign_host");
    const isAllowed =
      origin === undefined || rules.isOriginAllowed(origin, host) || rules.isPublic?.(c.req.path) === true;
    return isAllowed ? next() : refuse(c, "foreign_origin");
  };
}

/** Returns the network of one customer: an IPv4 address, or the first half of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address.replace("::ffff:", "");
  const [head = "", tail] = address.split("::");
  const groups = head.split(":");
  const missing = tail === undefined ? [] : Array<string>(8).fill("0");
  return [...groups, ...missing].slice(0, 4).join(":");
}

/** Returns the bearer token of an `Authorization` header, "" if it has none. */
export function bearerOf({ authorization = "" }: { readonly authorization?: string | undefined }): string {
  return BEARER_PATTERN.exec(authorization)?.[1] ?? "";
}

/** @param refuse answers a request with an unknown token. It receives "" if the request has no token. */
export function requireBearer(
  isKnown: (token: string) => boolean,
  refuse: (c: HttpContext, token: string) => Response,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const token = bearerOf(c.env.incoming.headers);
    return isKnown(token) ? next() : refuse(c, token);
  };
}

/**
 * Answers HEAD only for these paths. Hono answers it with the route of GET, which would open streams and call model servers.
 */
export function headOnlyFor(paths: readonly string[]): MiddlewareHandler<HttpEnv> {
  return async (c, next) =>
    c.env.incoming.method === "HEAD" && !paths.includes(c.req.path) ? c.notFound() : next();
}
