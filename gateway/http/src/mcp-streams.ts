import type { IncomingHttpHeaders } from "node:http";

/** The first revision of MCP with streams. Revisions are dates. */
const STREAM_REVISION = "2026-07-28";

/**
 * Returns true if a request opens a stream of MCP. A method name without its revision may be any call of the
 * 2025 revisions, which is no stream.
 */
export function opensMcpStream(headers: IncomingHttpHeaders): boolean {
  const revision = String(headers["mcp-protocol-version"] ?? "");
  return headers["mcp-method"] === "subscriptions/listen" && revision >= STREAM_REVISION;
}
