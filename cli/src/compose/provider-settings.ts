/** A setting of a section, and the option that it is. */
export type SettingNames = Readonly<Record<string, string>>;

/**
 * The options that a section's settings are.
 * @throws {TypeError} for a setting that this provider does not have.
 */
export function optionsOfSection(
  section: string,
  settings: Readonly<Record<string, unknown>>,
  names: SettingNames,
): Record<string, unknown> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const unknown = given.find(([setting]) => !Object.hasOwn(names, setting))?.[0];
  if (unknown !== undefined) {
    throw new TypeError(`${section} has no \`${unknown}\`; it has ${Object.keys(names).join(", ")}`);
  }
  return Object.fromEntries(given.map(([setting, value]) => [names[setting]!, value]));
}

/** What `create` makes; a `TypeError` that names an option names the setting instead. */
export async function inSettings<T>(
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
 * The API key in the variable that `api_key_env` names; none where that is not set and need not be.
 * @throws {TypeError} when the settings name a variable that is not set.
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
