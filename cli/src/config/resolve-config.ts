import { dirname, resolve } from "node:path";
import { CONFIG_DEFAULTS, type Config, type ConfigFile, ConfigSchema } from "./config-schema.js";
import { environmentConfig } from "./environment.js";
import { CONFIG_FILE, readConfigFile } from "./read-config-file.js";

export interface ConfigSources {
  /** Settings from flags. */
  readonly flags: ConfigFile;
  readonly env: NodeJS.ProcessEnv;
  /** Value of `--config`. Without it, `membus.yaml` in the working directory is read if it exists. */
  readonly configPath?: string | undefined;
}

/**
 * Merges settings by precedence: flags, environment, file, defaults.
 * @throws {TypeError} naming an unknown or invalid setting.
 */
export async function resolveConfig({ flags, env, configPath }: ConfigSources): Promise<Config> {
  const path = configPath ?? CONFIG_FILE;
  const file = await readConfigFile(path, configPath !== undefined);
  const given: readonly Partial<Config>[] = [
    withPluginFolders(file, dirname(resolve(path))),
    withPluginFolders(checked(environmentConfig(env), "environment"), process.cwd()),
    withPluginFolders(checked(flags, "flags"), process.cwd()),
  ];
  const config = given.reduce<Config>(overlay, CONFIG_DEFAULTS);
  return Object.freeze({ ...config, data: resolve(config.data) });
}

function checked(config: ConfigFile, source: string): ConfigFile {
  const parsed = ConfigSchema.safeParse(config);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new TypeError(`${source}: \`${issue.path.join(".")}\`: ${issue.message}`);
}

/** Adds the folder that relative plugin modules are resolved from. */
function withPluginFolders(config: ConfigFile, folder: string): Partial<Config> {
  const named = Object.entries(config.plugins ?? {}).map(([tier, plugin]) => {
    return [tier, typeof plugin === "object" ? { ...plugin, folder } : plugin];
  });
  return { ...config, ...(named.length > 0 && { plugins: Object.fromEntries(named) }) } as Partial<Config>;
}

/**
 * Merges two levels of settings. The settings of `nats` and the plugins of each tier are merged individually.
 */
function overlay(below: Config, above: Partial<Config>): Config {
  const nats = { ...below.nats, ...above.nats };
  const plugins = above.plugins && { plugins: { ...below.plugins, ...above.plugins } };
  return { ...below, ...above, nats, ...plugins };
}
