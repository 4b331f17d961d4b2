import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryError } from "@membus/protocol";
import { BINARY_NAME } from "../binary.js";
import { runCommand } from "../run-command.js";
import { download } from "./download.js";
import type { InstallContext } from "./install-method.js";
import type { NatsServerRelease } from "./release.js";

const DOWNLOAD_BASE = "https://github.com/nats-io/nats-server/releases/download";
const ARCHIVE_BYTES_MAX = 64 * 1024 * 1024;
const UNPACK_TIMEOUT_MS = 30_000;

/**
 * Downloads the release archive, from `MEMBUS_NATS_DOWNLOAD_BASE` if set, and unpacks it if its checksum is
 * the one that membus contains. The site is not trusted.
 *
 * @returns the path of the program in the work directory.
 */
export async function installRelease(context: InstallContext): Promise<string> {
  const { workDir, env, onStep, release, timeouts, clock } = context;
  const { name, sha256 } = releaseArchive(release);
  const url = `${env.MEMBUS_NATS_DOWNLOAD_BASE || DOWNLOAD_BASE}/v${release.version}/${name}`;
  onStep(`Downloading ${url}, to be verified against the SHA-256 in membus${proxyNote(env)}`);
  const archive = await download(url, { ...timeouts, sizeBytesMax: ARCHIVE_BYTES_MAX }, clock);
  checkSha256(archive, sha256, url);
  const file = join(workDir, name);
  await writeFile(file, archive);
  const unpack = ["-xzf", file, "-C", workDir, "--strip-components=1"];
  await runCommand("tar", unpack, { env, timeoutMs: UNPACK_TIMEOUT_MS });
  return join(workDir, BINARY_NAME);
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

function releaseArchive({ version, sha256 }: NatsServerRelease): { name: string; sha256: string } {
  const platform = `${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  const expected = sha256[platform];
  if (expected === undefined) {
    throw new MemoryError("unavailable", `membus contains no release checksum for ${platform}`);
  }
  return { name: `nats-server-v${version}-${platform}.tar.gz`, sha256: expected };
}

function checkSha256(archive: Buffer, expected: string, url: string): void {
  const got = createHash("sha256").update(archive).digest("hex");
  if (got === expected) return;
  throw new MemoryError("unavailable", `${url}: SHA-256 is ${got}, expected ${expected}. Not installed`);
}

function proxyNote(env: NodeJS.ProcessEnv): string {
  return env.HTTPS_PROXY || env.https_proxy
    ? " (HTTPS_PROXY is not used here, set MEMBUS_NATS_DOWNLOAD_BASE to use another site)"
    : "";
}
