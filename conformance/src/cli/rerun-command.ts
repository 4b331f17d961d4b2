import type { Command, Option } from "commander";

/** Options that the command for a single check omits or replaces. */
const LEFT_OUT = new Set(["only", "seed", "repeat", "baseline", "strict", "list", "json", "junit", "html"]);
const SECRET = new Set(["password", "token"]);

/**
 * Returns a function that builds the command for one check from the arguments of this run. Secrets are
 * hidden. Environment settings apply again and are omitted.
 */
export function rerunCommand(command: Command): (checkId: string, seed: number) => string {
  const given = command.options
    .filter((option) => !LEFT_OUT.has(option.attributeName()))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .flatMap((option) => [option.long!, ...shownValue(option, command)]);
  const words = ["npx", ...namesOf(command), ...command.args, ...given].map(quoted);
  return (checkId, seed) => [...words, "--only", checkId, "--seed", String(seed)].join(" ");
}

/**
 * Returns the command with its program name, such as `membus-conformance plugin`. The program name may have
 * several words.
 */
function namesOf(command: Command): string[] {
  return [...(command.parent === null ? [] : namesOf(command.parent)), ...command.name().split(" ")];
}

function shownValue(option: Option, command: Command): string[] {
  const name = option.attributeName();
  const value: unknown = command.getOptionValue(name);
  if (value === true) return [];
  if (SECRET.has(name)) return ["***"];
  return [Array.isArray(value) ? value.join(",") : withoutCredentials(String(value))];
}

/** Replaces the credentials in a URL: `nats://user:password@host` becomes `nats://***@host`. */
export function withoutCredentials(url: string): string {
  return url.replace(/(^|\/\/)[^/@]+@/, "$1***@");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
