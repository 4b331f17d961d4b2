import { readFile } from "node:fs/promises";

export const CONFIG_FILE = "membus.yaml";

/**
 * Reads the settings of a file without validating them. If `required` is false, an absent file counts as empty.
 * @throws {TypeError} for an unreadable file or invalid YAML.
 */
export async function readConfigFile(path: string, required: boolean): Promise<unknown> {
  const source = await readText(path, required);
  return source === undefined ? {} : ((await parseYaml(path, source)) ?? {});
}

async function readText(path: string, required: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new TypeError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

async function parseYaml(path: string, source: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(source);
  } catch (error) {
    // The rest of the message quotes the file, which may contain a password.
    const [message] = (error as Error).message.split(":\n");
    throw new TypeError(`${path} is not valid YAML: ${message}`);
  }
}
