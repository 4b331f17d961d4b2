import { readFileSync } from "node:fs";
import { didYouMean } from "@membus/protocol";

const FOLDER = new URL("../../../prompts/", import.meta.url);

/**
 * Loads the prompt `prompts/<name>.txt` without its version line, and replaces each `{{value}}` by `values`.
 * Braces in the values are not replaced again.
 * @throws {TypeError} for an unknown value or a missing one.
 */
export function loadPrompt(name: string, values: Readonly<Record<string, string>> = {}): string {
  const file = readFileSync(new URL(`${name}.txt`, FOLDER), "utf8");
  const text = file.replace(/^version \d+\n+/, "").trimEnd();
  if (!file.startsWith("version ")) throw new TypeError(`prompt ${name} must start with its version`);
  const placeholders = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, placeholder]) => placeholder!));
  for (const given of Object.keys(values)) {
    if (!placeholders.has(given)) {
      throw new TypeError(`prompt ${name} has no placeholder \`${given}\`${didYouMean(given, placeholders)}`);
    }
  }
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, placeholder: string) => {
    if (!Object.hasOwn(values, placeholder))
      throw new TypeError(`prompt ${name} requires the value \`${placeholder}\``);
    return values[placeholder]!;
  });
}
