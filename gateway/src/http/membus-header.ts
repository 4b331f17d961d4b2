import type { IncomingHttpHeaders } from "node:http";

/**
 * What a client says in `X-Membus-<field>`; undefined for nothing. Node reads headers as Latin-1, and clients mostly write
 * UTF-8.
 */
export function membusHeader(headers: IncomingHttpHeaders, field: string): string | undefined {
  const value = headers[`x-membus-${field}`];
  if (typeof value !== "string" || value === "") return undefined;
  const decoded = Buffer.from(value, "latin1").toString("utf8");
  return decoded.includes("\ufffd") ? value : decoded;
}
