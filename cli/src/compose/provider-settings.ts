/** Option name for each setting of a section. */
export type SettingNames = Readonly<Record<string, string>>;

/**
 * Returns the options for the settings of a section.
 * @throws {TypeError} for a setting that the provider does not support.
 */
export function optionsOfSection(
  section: string,
  settings: Readonly<Record<string, unknown>>,
  names: SettingNames,
): Record<string, unknown> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const unknown = given.find(([setting]) => !Object.hasOwn(names, setting))?.[0];
  if (unknown !== undefined) {
    throw new TypeError(
      `${section} does not support \`${unknown}\`. Supported settings: ${Object.keys(names).join(", ")}`,
    );
  }
  return Object.fromEntries(given.map(([setting, value]) => [names[setting]!, value]));
}

/** Calls `create`. A `TypeError` that names an option is rewritten to name the setting. */
export async function withSettingNames<T>(
  section: string,
  names: SettingNames,
  create: () => T | Promise<T>,
): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const setting = Object.entries(names).find(([, option]) => error.message.startsWith(`${option} `));
    if (setting === undefined) throw error;
    const [name, option] = setting;
    throw new TypeError(`${section} \`${name}\`${error.message.slice(option.length)}`, { cause: error });
  }
}

/**
 * Returns the API key from the environment variable named by `api_key_env`. Returns no key if `api_key_env`
 * and the fallback variable are not set.
 * @throws {TypeError} if `api_key_env` names a variable that is not set.
 */
export function apiKeyOf(
  section: string,
  variable: string | undefined,
  env: NodeJS.ProcessEnv,
  fallbackVariable?: string,
): { apiKey?: string } {
  const apiKey = env[variable ?? fallbackVariable ?? ""];
  if (apiKey) return { apiKey };
  if (variable === undefined) return {};
  throw new TypeError(`${section} \`api_key_env\`: the environment variable ${variable} is not set`);
}
