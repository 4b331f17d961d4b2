import { readFileSync } from "node:fs";
import { didYouMean } from "@membus/protocol";

const FOLDER = new URL("../../../prompts/", import.meta.url);

/**
 * The prompt `prompts/<name>.txt` without its first line, which is its version, and with `{{value}}` replaced by `values`:
 * once, so that a value with braces in it stays as it is.
 * @throws {TypeError} for a value that the prompt has no place for, or a place without its value.
 */
export function loadPrompt(name: string, values: Readonly<Record<string, string>> = {}): string {
  const file = readFileSync(new URL(`${name}.txt`, FOLDER), "utf8");
  const text = file.replace(/^version \d+\n+/, "").trimEnd();
  if (!file.startsWith("version ")) throw new TypeError(`prompt ${name} does not begin with its version`);
  const places = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, place]) => place!));
  for (const given of Object.keys(values)) {
    if (!places.has(given)) {
      throw new TypeError(`prompt ${name} has no place for \`${given}\`${didYouMean(given, places)}`);
    }
  }
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, place: string) => {
    if (!Object.hasOwn(values, place)) throw new TypeError(`prompt ${name} wants \`${place}\``);
    return values[place]!;
  });
}
