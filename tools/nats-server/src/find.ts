import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { BINARY_NAME, type NatsServerBinary, probeNatsServer } from "./binary.js";
import { cachedBinaries, membusCacheDir } from "./install/cache-dir.js";

export interface FindOptions {
  /** The one to use, and no other. Relative to the working directory. */
  readonly explicitPath?: string | undefined;
  /** Read: PATH, MEMBUS_CACHE_DIR, XDG_CACHE_HOME, HOME. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Searched after the PATH: Debian installs nats-server where an ordinary user's PATH does not lead.
   * @default ["/usr/local/sbin", "/usr/sbin"]
   */
  readonly systemDirs?: readonly string[];
}

const SYSTEM_DIRS: readonly string[] = ["/usr/local/sbin", "/usr/sbin"];

/**
 * Finds a nats-server that runs: `explicitPath`, else the first on the PATH (then the system folders), else the
 * newest in membus's cache. A file that does not answer `-v` is passed over.
 * @returns undefined when there is none.
 * @throws {TypeError} when `explicitPath` is not a nats-server; it says why.
 */
export async function findNatsServer({
  explicitPath,
  env,
  systemDirs = SYSTEM_DIRS,
}: FindOptions): Promise<NatsServerBinary | undefined> {
  if (explicitPath !== undefined) return explicitServer(resolve(explicitPath), env);
  const onPath = await firstThatRuns(pathCandidates(env, systemDirs), env, "path");
  return onPath ?? firstThatRuns(await cachedBinaries(membusCacheDir(env)), env, "cache");
}

async function explicitServer(path: string, env: NodeJS.ProcessEnv): Promise<NatsServerBinary> {
  const probe = await probeNatsServer(path, env);
  if (!probe.ok) throw new TypeError(`not a nats-server: ${probe.reason}`);
  return { path, version: probe.version, source: "option" };
}

/** Relative PATH entries are left out: what runs must not depend on the working directory. */
function pathCandidates(env: NodeJS.ProcessEnv, systemDirs: readonly string[]): string[] {
  const directories = (env.PATH ?? "").split(delimiter).filter((directory) => isAbsolute(directory));
  return [...new Set([...directories, ...systemDirs])].map((directory) => join(directory, BINARY_NAME));
}

async function firstThatRuns(
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
