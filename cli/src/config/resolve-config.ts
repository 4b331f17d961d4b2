import { dirname, resolve } from "node:path";
import { CONFIG_DEFAULTS, type Config, type ConfigFile, ConfigSchema } from "./config-schema.js";
import { environmentConfig } from "./environment.js";
import { CONFIG_FILE, readConfigFile } from "./read-config-file.js";

export interface ConfigSources {
  /** Settings given as flags. */
  readonly flags: ConfigFile;
  readonly env: NodeJS.ProcessEnv;
  /** `--config`; without it `membus.yaml` here is read where there is one. */
  readonly configPath?: string | undefined;
}

/**
 * Settings by precedence: flags, then environment, then file, then defaults.
 * @throws {TypeError} naming the setting that is unknown or wrong.
 */
export async function resolveConfig({ flags, env, configPath }: ConfigSources): Promise<Config> {
  const path = configPath ?? CONFIG_FILE;
  const file = await readConfigFile(path, configPath !== undefined);
  const given: readonly Partial<Config>[] = [
    located(file, dirname(resolve(path))),
    located(checked(environmentConfig(env), "environment"), process.cwd()),
    located(checked(flags, "flags"), process.cwd()),
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

/** Modules of plugins are found from where they are named. */
function located(config: ConfigFile, folder: string): Partial<Config> {
  const named = Object.entries(config.plugins ?? {}).map(([tier, plugin]) => {
    return [tier, typeof plugin === "object" ? { ...plugin, folder } : plugin];
  });
  return { ...config, ...(named.length > 0 && { plugins: Object.fromEntries(named) }) } as Partial<Config>;
}

/** The servers' settings are taken one by one, and so are the tiers' plugins, each with its options. */
function overlay(below: Config, above: Partial<Config>): Config {
  const nats = { ...below.nats, ...above.nats };
  const plugins = above.plugins && { plugins: { ...below.plugins, ...above.plugins } };
  return { ...below, ...above, nats, ...plugins };
}
