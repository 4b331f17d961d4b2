import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { answerJson } from "../http/http-server.js";

/** Where the build puts the page: in what is shipped, wherever this file runs from. */
const FOLDER = new URL("../../dist/page/", import.meta.url);

const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/inspector.js": { name: "inspector.js", type: "text/javascript; charset=utf-8" },
  "/inspector.css": { name: "inspector.css", type: "text/css; charset=utf-8" },
  "/inspector.svg": { name: "inspector.svg", type: "image/svg+xml" },
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** What goes with the page and with every answer to it. */
export function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader("content-security-policy", POLICY);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("cross-origin-opener-policy", "same-origin");
}

export function isPageFile(path: string): boolean {
  return Object.hasOwn(FILES, path);
}

/** The files are few and small, and what an upgrade has replaced is shown at once: each is read when it is asked for. */
export async function answerPageFile(response: ServerResponse, path: string): Promise<void> {
  const { name, type } = FILES[path]!;
  const bytes = await readFile(new URL(name, FOLDER)).catch(() => undefined);
  if (bytes === undefined)
    return answerJson(response, 404, { error: "the page is not built: npm run build" });
  response.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  response.end(bytes);
}
