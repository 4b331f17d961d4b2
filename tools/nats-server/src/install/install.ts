import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, MemoryError, parseOptions, systemClock } from "@membus/protocol";
import { BINARY_NAME, type NatsServerBinary, probeNatsServer } from "../binary.js";
import { membusCacheDir, natsServerDir } from "./cache-dir.js";
import { installFromDebian } from "./install-debian.js";
import { installWithGo } from "./install-go.js";
import {
  INSTALL_METHODS,
  type InstallContext,
  type InstallMethod,
  type InstallTimeouts,
  InstallTimeoutsSchema,
} from "./install-method.js";
import { installRelease } from "./install-release.js";
import { MANUAL_INSTALL_STEPS, type NatsServerRelease, PINNED_RELEASE } from "./release.js";

export interface InstallOptions {
  /** Only this method. Absent: the first that works, in the order release, go, debian. */
  readonly method?: InstallMethod | undefined;
  /**
   * Cache directory of membus. The program is installed in its `nats-server/<version>/`. Default: the directory
   * from `env` that `findNatsServer` searches.
   */
  readonly cacheDir?: string | undefined;
  /** Receives one sentence for each step and each failure. */
  readonly onStep: (message: string) => void;
  /**
   * Environment of the commands. Also reads MEMBUS_NATS_DOWNLOAD_BASE, MEMBUS_CACHE_DIR, XDG_CACHE_HOME and
   * HOME.
   */
  readonly env: NodeJS.ProcessEnv;
  readonly timeouts?: InstallTimeouts;
  /** Release to download with the method "release". Default: the release pinned in this version of membus. */
  readonly release?: NatsServerRelease;
}

const INSTALLERS: Record<InstallMethod, (context: InstallContext) => Promise<string>> = {
  release: installRelease,
  go: installWithGo,
  debian: installFromDebian,
};

/**
 * Installs nats-server into the cache of membus, for this user only. The program is complete and tested
 * before it appears there, and replaces an equal version. Concurrent installations are safe.
 *
 * @throws {MemoryError} `unavailable` if no method works, or if the cache directory cannot be created. The
 * message and `detail` (by method) contain the reasons, and the message also manual instructions.
 * @throws {TypeError} for a timeout out of range.
 */
export async function installNatsServer(
  options: InstallOptions,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<NatsServerBinary> {
  const { env, onStep, release = PINNED_RELEASE } = options;
  const common = {
    env,
    onStep,
    release,
    timeouts: parseOptions(InstallTimeoutsSchema, options.timeouts ?? {}, ["timeouts"]),
    clock,
  };
  const target = natsServerDir(options.cacheDir ?? membusCacheDir(env));
  await makeTarget(target);
  const methods = options.method === undefined ? INSTALL_METHODS : [options.method];
  onStep(`Installing nats-server into ${target}, trying in order: ${methods.join(", ")}`);
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

async function makeTarget(target: string): Promise<void> {
  await mkdir(target, { recursive: true }).catch((error: Error) => {
    const message = `cannot create ${target}, set MEMBUS_CACHE_DIR to use another cache directory: ${error.message}`;
    throw new MemoryError("unavailable", message, { directory: target }, { cause: error });
  });
}

/**
 * Installs with one method. The work directory is next to the target, so that the last step is a rename
 * within one file system.
 */
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
    "Install it manually, or set NATS_URL to a running server:",
    ...MANUAL_INSTALL_STEPS.map((line) => `  ${line}`),
  ].join("\n");
}
