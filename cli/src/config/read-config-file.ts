import { readFile } from "node:fs/promises";
import { didYouMean } from "@membus/protocol";
import type { z } from "zod";
import { type ConfigFile, ConfigSchema } from "./config-schema.js";

export const CONFIG_FILE = "membus.yaml";

/**
 * Reads the settings of a file. If `required` is false, an absent file counts as empty.
 * @throws {TypeError} for an unreadable file, invalid YAML, an unknown key or an invalid value.
 */
export async function readConfigFile(path: string, required: boolean): Promise<ConfigFile> {
  const source = await readText(path, required);
  if (source === undefined) return {};
  const parsed = ConfigSchema.safeParse((await parseYaml(path, source)) ?? {});
  if (parsed.success) return parsed.data;
  throw new TypeError(`${path}: ${describeIssue(parsed.error.issues[0]!)}`);
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

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.join(".");
  if (issue.code !== "unrecognized_keys") return `\`${path}\`: ${issue.message}`;
  const name = issue.keys[0]!;
  return `unknown key \`${path === "" ? name : `${path}.${name}`}\`${didYouMean(name, knownKeys(issue.path))}`;
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  const section = path.reduce<unknown>((schema, part) => {
    const field = (schema as { shape?: Record<PropertyKey, { unwrap?: () => unknown }> }).shape?.[part];
    return field?.unwrap?.();
  }, ConfigSchema);
  return Object.keys((section as { shape?: object } | undefined)?.shape ?? {});
}
