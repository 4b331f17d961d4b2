import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { BINARY_NAME } from "../binary.js";

/**
 * Where membus keeps what it installs: `MEMBUS_CACHE_DIR`, else `membus` in `XDG_CACHE_HOME` (ignored unless
 * absolute, as its specification demands), else in the user's cache folder.
 */
export function membusCacheDir(env: NodeJS.ProcessEnv): string {
  if (env.MEMBUS_CACHE_DIR) return resolve(env.MEMBUS_CACHE_DIR);
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return join(env.XDG_CACHE_HOME, "membus");
  const home = env.HOME || homedir();
  return process.platform === "darwin"
    ? join(home, "Library", "Caches", "membus")
    : join(home, ".cache", "membus");
}

/** The folder of `cacheDir` that holds one folder per installed version. */
export function natsServerDir(cacheDir: string): string {
  return join(cacheDir, "nats-server");
}

/** Paths of the installed binaries, newest version first. Whether they run is not checked. */
export async function cachedBinaries(cacheDir: string): Promise<string[]> {
  const directory = natsServerDir(cacheDir);
  const names = await readdir(directory).catch(() => []);
  return names
    .filter((name) => /^\d/.test(name))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .map((version) => join(directory, version, BINARY_NAME));
}
