import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { BINARY_NAME } from "../binary.js";

/**
 * Returns the cache directory of membus: `MEMBUS_CACHE_DIR`, else `membus` in `XDG_CACHE_HOME`, else in the
 * user's cache directory. `XDG_CACHE_HOME` is ignored unless it is absolute, as its specification requires.
 */
export function membusCacheDir(env: NodeJS.ProcessEnv): string {
  if (env.MEMBUS_CACHE_DIR) return resolve(env.MEMBUS_CACHE_DIR);
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, "membus");
  const home = env.HOME || homedir();
  return process.platform === "darwin"
    ? join(home, "Library", "Caches", "membus")
    : join(home, ".cache", "membus");
}

/** Returns the directory with one subdirectory per installed version. */
export function natsServerDir(cacheDir: string): string {
  return join(cacheDir, "nats-server");
}

/** Returns the paths of the installed binaries, newest version first. Does not check that they work. */
export async function cachedBinaries(cacheDir: string): Promise<string[]> {
  const directory = natsServerDir(cacheDir);
  const names = await readdir(directory).catch(() => []);
  return names
    .filter((name) => /^\d/.test(name))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .map((version) => join(directory, version, BINARY_NAME));
}
