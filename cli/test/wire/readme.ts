import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root of the repository, where the commands of the README are run. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const README = readFileSync(`${ROOT}README.md`, "utf8");

/** The code below `<!-- example: name -->`. */
export function exampleOf(name: string): string {
  const [, code] =
    new RegExp(`<!-- example: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]+?)\\n\`\`\``).exec(README) ?? [];
  if (code === undefined) throw new Error(`README.md has no example ${name}`);
  return code;
}

/** The shell blocks in their order. */
export function shellBlocks(): string[] {
  return [...README.matchAll(/```sh\n([\s\S]+?)\n```/g)].map(([, code]) => code!);
}

export interface NatsRequest {
  readonly subject: string;
  readonly payload: string;
}

/** What a line `nats req <subject> '<payload>'` sends. */
export function parseNatsRequest(line: string): NatsRequest {
  const [, subject, payload] = /^nats req (?:-s \S+ )?(\S+) '(.+)'$/.exec(line.trim()) ?? [];
  if (subject === undefined || payload === undefined) throw new Error(`not a nats req: ${line}`);
  return { subject, payload };
}
