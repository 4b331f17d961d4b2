import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { BINARY_NAME, type NatsServerBinary, probeNatsServer } from "./binary.js";
import { cachedBinaries, membusCacheDir } from "./install/cache-dir.js";

export interface FindOptions {
  /** Program to use, relative to the working directory. No other program is used. */
  readonly explicitPath?: string | undefined;
  /** Environment. Reads PATH, MEMBUS_CACHE_DIR, XDG_CACHE_HOME and HOME. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Directories to search after the PATH. Debian installs nats-server in a directory that is not on an
   * ordinary user's PATH.
   * @default ["/usr/local/sbin", "/usr/sbin"]
   */
  readonly systemDirs?: readonly string[];
}

const SYSTEM_DIRS: readonly string[] = ["/usr/local/sbin", "/usr/sbin"];

/**
 * Finds a working nats-server: `explicitPath`, else the first on the PATH (then the system directories), else
 * the newest in the cache of membus. Files that do not answer `-v` are skipped.
 *
 * @returns undefined if there is none.
 * @throws {TypeError} if `explicitPath` is not a nats-server, with the reason.
 */
export async function findNatsServer({
  explicitPath,
  env,
  systemDirs = SYSTEM_DIRS,
}: FindOptions): Promise<NatsServerBinary | undefined> {
  if (explicitPath !== undefined) return explicitServer(resolve(explicitPath), env);
  const onPath = await firstWorking(pathCandidates(env, systemDirs), env, "path");
  return onPath ?? firstWorking(await cachedBinaries(membusCacheDir(env)), env, "cache");
}

async function explicitServer(path: string, env: NodeJS.ProcessEnv): Promise<NatsServerBinary> {
  const probe = await probeNatsServer(path, env);
  if (!probe.ok) throw new TypeError(`not a nats-server: ${probe.reason}`);
  return { path, version: probe.version, source: "option" };
}

/**
 * Returns candidate paths. Relative PATH entries are skipped, so that the result does not depend on the
 * working directory.
 */
function pathCandidates(env: NodeJS.ProcessEnv, systemDirs: readonly string[]): string[] {
  const directories = (env.PATH ?? "").split(delimiter).filter((directory) => isAbsolute(directory));
  return [...new Set([...directories, ...systemDirs])].map((directory) => join(directory, BINARY_NAME));
}

async function firstWorking(
  candidates: readonly string[],
  env: NodeJS.ProcessEnv,
  source: "path" | "cache",
): Promise<NatsServerBinary | undefined> {
  for (const path of candidates.filter((candidate) => existsSync(candidate))) {
    const probe = await probeNatsServer(path, env);
    if (probe.ok) return { path, version: probe.version, source };
  }
  return undefined;
}
