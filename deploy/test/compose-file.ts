import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** Parts of a service that the tests use. */
export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly target: string };
  readonly user?: string;
  readonly entrypoint?: string[];
  readonly command?: string[];
  readonly working_dir?: string;
  readonly ports?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

export interface ComposeFile {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
}

/** Reads a compose file of this folder after its text was changed by `adapt`. */
export function readCompose(
  adapt: (text: string) => string = (text) => text,
  file = "compose.yaml",
): ComposeFile {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  return parse(adapt(text), { merge: true });
}
