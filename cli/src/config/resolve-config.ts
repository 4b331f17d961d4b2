import { resolve } from "node:path";
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
  const file = await readConfigFile(configPath ?? CONFIG_FILE, configPath !== undefined);
  const given = [file, checked(environmentConfig(env), "environment"), checked(flags, "flags")];
  const config = given.reduce<Config>(overlay, CONFIG_DEFAULTS);
  return Object.freeze({ ...config, data: resolve(config.data) });
}

function checked(config: ConfigFile, source: string): ConfigFile {
  const parsed = ConfigSchema.safeParse(config);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new TypeError(`${source}: \`${issue.path.join(".")}\`: ${issue.message}`);
}

function overlay(below: Config, above: ConfigFile): Config {
  const nats = { ...below.nats, ...above.nats };
  return { ...below, ...above, nats } as Config;
}
