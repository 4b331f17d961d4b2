import { readFile } from "node:fs/promises";
import { didYouMean } from "@membus/protocol";
import type { z } from "zod";
import { type ConfigFile, ConfigSchema } from "./config-schema.js";

export const CONFIG_FILE = "membus.yaml";

/**
 * Settings of a file; `required` is false for the file that is looked for without being named.
 * @throws {TypeError} for a file that cannot be read, no valid YAML, an unknown key or a wrong value.
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
    // What follows the first line repeats the file, which may hold a password.
    const [message] = (error as Error).message.split(":\n");
    throw new TypeError(`${path} is no valid YAML: ${message}`);
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
