import type { IncomingHttpHeaders } from "node:http";

/**
 * Returns the header `X-Membus-<field>`, undefined if it is absent or empty. Node decodes headers as Latin-1, but most clients
 * send UTF-8.
 */
export function membusHeader(headers: IncomingHttpHeaders, field: string): string | undefined {
  const value = headers[`x-membus-${field}`];
  if (typeof value !== "string" || value === "") return undefined;
  const decoded = Buffer.from(value, "latin1").toString("utf8");
  return decoded.includes("\ufffd") ? value : decoded;
}
