import type { Criteria } from "@membus/protocol";
import type { Command } from "commander";
import { definedOnly } from "./defined-only.js";
import { jsonOrText, numberFlag, parseJsonArgument } from "./json-argument.js";

/** Flags for the criteria of retrieve, list, forget and export. */
export interface CriteriaFlags {
  readonly key?: string[];
  readonly match?: string;
  readonly tag?: string[];
  readonly allTags?: boolean;
  readonly tier?: string;
  readonly group?: string;
  readonly since?: string;
  readonly until?: string;
  readonly where?: string;
}

export function addCriteriaFlags(command: Command): Command {
  return command
    .option("--key <key...>", "keys: names or JSON objects")
    .option("--match <json>", "JSON object of top-level key fields that must be equal")
    .option("--tag <tag...>", "tags (matches entries with any of them)")
    .option("--all-tags", "match entries with all of the tags instead of any")
    .option("--tier <tier>", "working, episodic or semantic")
    .option("--group <group>", "entries of one conversation or document")
    .option("--since <time>", "occurred at or after this time: ISO date or Unix seconds")
    .option("--until <time>", "occurred before this time: ISO date or Unix seconds")
    .option("--where <json>", "JSON filter: a tree of all, any and not over {field, op, value}");
}

/** @throws {TypeError} naming the flag that cannot be parsed. */
export function criteriaOf(flags: CriteriaFlags): Criteria {
  return definedOnly({
    keys: flags.key?.map((key) => (key.startsWith("{") ? parseJsonArgument("--key", key) : key)),
    match: flags.match === undefined ? undefined : parseJsonArgument("--match", flags.match),
    tags: flags.tag,
    tags_mode: flags.allTags ? "all" : undefined,
    tier: flags.tier,
    group: flags.group,
    since: timeOf("--since", flags.since),
    until: timeOf("--until", flags.until),
    where: flags.where === undefined ? undefined : parseJsonArgument("--where", flags.where),
  }) as Criteria;
}

function timeOf(name: string, source: string | undefined): number | undefined {
  if (source === undefined) return undefined;
  if (typeof jsonOrText(source) === "number") return numberFlag(name, source);
  const time = Date.parse(source);
  if (Number.isNaN(time))
    throw new TypeError(`${name} must be an ISO date or a number of Unix seconds, got ${source}`);
  return time / 1000;
}
