import { dirname, resolve } from "node:path";
import { type OptionSet, parseOptions } from "@membus/protocol";
import { type Config, type ConfigFile, ConfigSchema } from "./config-schema.js";
import { environmentConfig } from "./environment.js";
import { CONFIG_FILE, readConfigFile } from "./read-config-file.js";

const SECTION_NAMES = ["host", "lru", "kit", "log", "storage"] as const;

export interface ConfigSources {
  /** Settings from flags. */
  readonly flags: ConfigFile;
  readonly env: NodeJS.ProcessEnv;
  /**
   * Value of `--config`. Without it, `membus.yaml` in the working directory is read if it exists. False reads no
   * file.
   */
  readonly configPath?: string | false | undefined;
}

/**
 * Merges settings by precedence: flags, environment, file, defaults.
 * @throws {TypeError} naming an unknown or invalid setting.
 */
export async function resolveConfig({ flags, env, configPath }: ConfigSources): Promise<Config> {
  const path = configPath || CONFIG_FILE;
  const file =
    configPath === false ? {} : await checked(await readConfigFile(path, configPath !== undefined), path);
  const environment = await checked(environmentConfig(env), "environment");
  const given = overlay(overlay(file, environment), await checked(flags, "flags"));
  const config = parseOptions(ConfigSchema, given);
  const plugins = Object.entries(config.plugins).map(([tier, plugin]) => {
    const folder = Object.hasOwn(flags.plugins ?? {}, tier) ? process.cwd() : dirname(resolve(path));
    return [tier, typeof plugin === "object" ? { ...plugin, folder } : plugin];
  });
  return Object.freeze({ ...config, data: resolve(config.data), plugins: Object.fromEntries(plugins) });
}

/** Returns the settings of one source if they are valid. */
async function checked(input: unknown, source: string): Promise<ConfigFile> {
  const given = input as ConfigFile;
  try {
    parseOptions(ConfigSchema, given);
    await checkSections(given);
    return given;
  } catch (error) {
    throw new TypeError(`${source}: ${(error as Error).message}`);
  }
}

/** Checks the options of packages, which are loaded only if the settings contain such options. */
async function checkSections(given: ConfigFile): Promise<void> {
  if (!SECTION_NAMES.some((name) => given[name] !== undefined)) return;
  const { SECTIONS } = await import("./sections.js");
  for (const name of SECTION_NAMES) {
    const options: OptionSet = SECTIONS[name];
    parseOptions(options, given[name] ?? {}, [name]);
  }
}

/**
 * Merges two levels of settings. The settings of `nats` and `cluster` and the plugins of each tier are merged individually.
 */
function overlay(below: ConfigFile, above: ConfigFile): ConfigFile {
  const nats = { ...below.nats, ...above.nats };
  const plugins = { ...below.plugins, ...above.plugins };
  const cluster = { ...below.cluster, ...above.cluster };
  const isCluster = below.cluster !== undefined || above.cluster !== undefined;
  return { ...below, ...above, nats, plugins, ...(isCluster && { cluster }) };
}
