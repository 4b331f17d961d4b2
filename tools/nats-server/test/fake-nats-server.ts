import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export function temporaryDir(): string {
  return mkdtempSync(join(tmpdir(), "membus-test-"));
}

/** Writes an executable that always prints `answer`. */
export function writeProgram(path: string, answer: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 });
  return path;
}

/** Returns a directory for PATH with only the programs that unpacking needs. */
export function unpackingTools(directory: string): string {
  const bin = join(directory, "tools");
  mkdirSync(bin);
  for (const name of ["tar", "gzip"]) {
    const path = execFileSync("sh", ["-c", 'command -v "$0"', name], { encoding: "utf8" }).trim();
    symlinkSync(path, join(bin, name));
  }
  return bin;
}

/** Returns a release archive with the layout of official archives. Its program prints `answer`. */
export function releaseArchive(directory: string, answer: string): Buffer {
  writeProgram(join(directory, "nats-server-v9.9.9-any", "nats-server"), answer);
  const file = join(directory, "archive.tar.gz");
  execFileSync("tar", ["-czf", file, "-C", directory, "nats-server-v9.9.9-any"]);
  return readFileSync(file);
}

/** Returns version 9.9.9 with the checksum of `archive` on every platform. */
export function releaseOf(archive: Buffer) {
  const hash = createHash("sha256").update(archive).digest("hex");
  const platforms = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"];
  return { version: "9.9.9", sha256: Object.fromEntries(platforms.map((platform) => [platform, hash])) };
}

export interface DownloadSite {
  readonly url: string;
  readonly paths: readonly string[];
  close(): Promise<void>;
}

/** Starts a web site on loopback that records its requests. */
export async function downloadSite(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<DownloadSite> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
