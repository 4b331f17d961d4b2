import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { exampleOf } from "../../../docs/test/code-blocks.js";

/** Root of the repository, where the commands of the README run. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const README = readFileSync(`${ROOT}README.md`, "utf8");

/** Returns the code below `<!-- example: name -->` on a page. */
export function exampleIn(page: string, name: string): string {
  return exampleOf(readFileSync(`${ROOT}${page}`, "utf8"), name);
}

/** Returns the shell blocks in order. */
export function shellBlocks(): string[] {
  return [...README.matchAll(/```sh\n([\s\S]+?)\n```/g)].map(([, code]) => code!);
}

export interface NatsRequest {
  readonly subject: string;
  readonly payload: string;
}

/** Parses a line `nats req <subject> '<payload>'`. */
export function parseNatsRequest(line: string): NatsRequest {
  const [, subject, payload] = /^nats req (?:-s \S+ )?(\S+) '(.+)'$/.exec(line.trim()) ?? [];
  if (subject === undefined || payload === undefined) throw new Error(`not a nats req: ${line}`);
  return { subject, payload };
}
