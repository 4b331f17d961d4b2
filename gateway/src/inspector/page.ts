import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type HttpContext, type HttpEnv, jsonResponse } from "@membus/http";
import type { MiddlewareHandler } from "hono";

/** Folder of the built page, relative to both `src` and `dist`. */
const FOLDER = new URL("../../dist/page/", import.meta.url);
const FILES_MAX = 32;
const FILE_BYTES_MAX = 1024 * 1024;

/** Caching of scripts. Their names change with their content. Browsers revalidate other files. */
const CACHED_FOR_GOOD = "max-age=31536000, immutable";
const KINDS: Readonly<Record<string, { readonly type: string; readonly caching: string }>> = {
  ".html": { type: "text/html; charset=utf-8", caching: "no-cache" },
  ".js": { type: "text/javascript; charset=utf-8", caching: CACHED_FOR_GOOD },
  ".css": { type: "text/css; charset=utf-8", caching: "no-cache" },
  ".svg": { type: "image/svg+xml", caching: "no-cache" },
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

/** Adds the security headers of the page to the response, errors included. */
export const securityHeaders: MiddlewareHandler<HttpEnv> = (c, next) => {
  c.header("content-security-policy", POLICY);
  c.header("x-content-type-options", "nosniff");
  c.header("referrer-policy", "no-referrer");
  c.header("cross-origin-resource-policy", "same-origin");
  c.header("cross-origin-opener-policy", "same-origin");
  return next();
};

interface PageFile {
  readonly type: string;
  readonly caching: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

/** The files of the page, read at start. Request paths never become file paths. */
export class PageFiles {
  readonly #files = new Map<string, PageFile>();

  /** Reads no files if the page is not built. */
  async read(): Promise<void> {
    const found = await readdir(FOLDER).catch(() => []);
    const names = found.filter((name) => Object.hasOwn(KINDS, extname(name)));
    if (names.length > FILES_MAX)
      throw new Error(`the page has ${names.length} files, more than ${FILES_MAX}`);
    for (const name of names) {
      this.#files.set(name === "index.html" ? "/" : `/${name}`, await readPageFile(name));
    }
  }

  /** The paths of the files, "/" also if the page is not built. */
  get paths(): ReadonlySet<string> {
    return new Set(["/", ...this.#files.keys()]);
  }

  response(c: HttpContext, path: string): Response {
    const file = this.#files.get(path);
    if (file === undefined) return jsonResponse(c, 404, { error: "the page is not built: npm run build" });
    const isGzipped = /\bgzip\b/.test(String(c.env.incoming.headers["accept-encoding"]));
    return c.body(new Uint8Array(isGzipped ? file.gzipped : file.bytes), 200, {
      "content-type": file.type,
      "cache-control": file.caching,
      vary: "accept-encoding",
      ...(isGzipped && { "content-encoding": "gzip" }),
    });
  }
}

async function readPageFile(name: string): Promise<PageFile> {
  const bytes = await readFile(new URL(name, FOLDER));
  if (bytes.length > FILE_BYTES_MAX) throw new Error(`${name} of the page has ${bytes.length} bytes`);
  return { ...KINDS[extname(name)]!, bytes, gzipped: await promisify(gzip)(bytes, { level: 9 }) };
}
