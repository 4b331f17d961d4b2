import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, integerOption, MemoryError, resolveOptions, systemClock } from "@membus/protocol";
import { BINARY_NAME, type NatsServerBinary, probeNatsServer } from "../binary.js";
import { membusCacheDir, natsServerDir } from "./cache-dir.js";
import { installFromDebian } from "./install-debian.js";
import { installWithGo } from "./install-go.js";
import {
  INSTALL_METHODS,
  type InstallContext,
  type InstallMethod,
  type InstallTimeouts,
} from "./install-method.js";
import { installRelease } from "./install-release.js";
import { BY_HAND, type NatsServerRelease, PINNED_RELEASE } from "./release.js";

export const INSTALL_TIMEOUT_DEFAULTS: InstallTimeouts = Object.freeze({
  connectTimeoutMs: 5_000,
  downloadTimeoutMs: 60_000,
  goTimeoutMs: 300_000,
  debianTimeoutMs: 120_000,
});

export interface InstallOptions {
  /** Only this one. Absent: the first that works, in the order release, go, debian. */
  readonly method?: InstallMethod | undefined;
  /**
   * membus's cache folder; the program goes to `nats-server/<version>/` in it.
   * @default what `env` says, where `findNatsServer` looks
   */
  readonly cacheDir?: string | undefined;
  /** Told what is about to be done and what failed, a sentence each. */
  readonly onStep: (message: string) => void;
  /** For the tools that are run. Read too: MEMBUS_NATS_DOWNLOAD_BASE, MEMBUS_CACHE_DIR, XDG_CACHE_HOME, HOME. */
  readonly env: NodeJS.ProcessEnv;
  readonly timeouts?: Partial<InstallTimeouts>;
  /**
   * The release that method "release" downloads.
   * @default the one pinned in this version of membus
   */
  readonly release?: NatsServerRelease;
}

const INSTALLERS: Record<InstallMethod, (context: InstallContext) => Promise<string>> = {
  release: installRelease,
  go: installWithGo,
  debian: installFromDebian,
};

/**
 * Installs nats-server into membus's cache, for this user alone. It appears there whole and tried, or not at all;
 * an equal version is replaced. Several may install at once.
 * @throws {MemoryError} `unavailable` when no method works: the message and `detail` (by method) say why, the
 * message also what to do by hand; or when the cache folder cannot be made.
 * @throws {TypeError} for a timeout out of range.
 */
export async function installNatsServer(
  options: InstallOptions,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<NatsServerBinary> {
  const { env, onStep, release = PINNED_RELEASE } = options;
  const common = { env, onStep, release, timeouts: resolveTimeouts(options.timeouts ?? {}), clock };
  const target = natsServerDir(options.cacheDir ?? membusCacheDir(env));
  await makeTarget(target);
  const methods = options.method === undefined ? INSTALL_METHODS : [options.method];
  onStep(`Installing nats-server into ${target} by the first that works: ${methods.join(", ")}`);
  const failures: Partial<Record<InstallMethod, string>> = {};
  for (const method of methods) {
    try {
      return await installBy(method, target, common);
    } catch (error) {
      failures[method] = (error as Error).message;
      onStep(`${method}: ${failures[method]}`);
    }
  }
  throw new MemoryError("unavailable", installFailureMessage(failures), failures);
}

function resolveTimeouts(timeouts: Partial<InstallTimeouts>): InstallTimeouts {
  return resolveOptions<InstallTimeouts>(timeouts, INSTALL_TIMEOUT_DEFAULTS, {
    connectTimeoutMs: integerOption(1, 600_000),
    downloadTimeoutMs: integerOption(1, 600_000),
    goTimeoutMs: integerOption(1, 3_600_000),
    debianTimeoutMs: integerOption(1, 600_000),
  });
}

async function makeTarget(target: string): Promise<void> {
  await mkdir(target, { recursive: true }).catch((error: Error) => {
    const message = `${target} cannot be made; MEMBUS_CACHE_DIR names another cache folder: ${error.message}`;
    throw new MemoryError("unavailable", message, { directory: target }, { cause: error });
  });
}

/** Works in a folder of its own beside the target, so that the last step is a rename within one file system. */
async function installBy(
  method: InstallMethod,
  target: string,
  common: Omit<InstallContext, "workDir">,
): Promise<NatsServerBinary> {
  const workDir = await mkdtemp(join(target, ".install-"));
  try {
    const built = await INSTALLERS[method]({ ...common, workDir });
    const probe = await probeNatsServer(built, common.env);
    if (!probe.ok) throw new MemoryError("unavailable", probe.reason);
    const path = join(target, probe.version, BINARY_NAME);
    await mkdir(join(target, probe.version), { recursive: true });
    await rename(built, path);
    common.onStep(`Installed nats-server ${probe.version}: ${path}`);
    return { path, version: probe.version, source: "cache" };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

function installFailureMessage(failures: Partial<Record<InstallMethod, string>>): string {
  return [
    "nats-server could not be installed:",
    ...Object.entries(failures).map(([method, reason]) => `  ${method}: ${reason}`),
    "Install it by hand, or set NATS_URL to a server that runs:",
    ...BY_HAND.map((line) => `  ${line}`),
  ].join("\n");
}
