import type { RetrieveRequest } from "@membus/agent-client";
import type { Command } from "commander";
import { numberFlag } from "./json-argument.js";

/** Flags that adjust and explain the ranking. */
export interface SteeringFlags {
  readonly fields?: string[];
  readonly recency?: string;
  readonly diversity?: string;
  readonly expand?: string;
  readonly explain?: boolean;
  readonly rerank?: boolean;
  readonly exact?: boolean;
}

type Steering = Pick<
  RetrieveRequest,
  "fields" | "recency" | "diversity" | "expand" | "explain" | "rerank" | "exact"
>;

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export function addSteeringFlags(command: Command): Command {
  return command
    .option("--fields <field...>", "fields to search for the words: text, context, time (default: all)")
    .option(
      "--recency <half-life[:weight]>",
      "prefer newer entries: half-life such as 90s, 30m, 12h or 7d; weight 0..1 is the maximum score share lost with age (default 0.5)",
    )
    .option("--diversity <share>", "0..1: demote entries that resemble others; returns a single page")
    .option(
      "--expand <before,after>",
      "number of neighbours of each entry in its group to include, 0..20 each",
    )
    .option("--rerank", "rescore the best entries with the host's reranker; returns a single page")
    .option("--exact", "compare all entries, also where an index would choose them")
    .option("--explain", "show how each score was computed, and the time of each stage");
}

/** @throws {TypeError} naming the flag that cannot be parsed. */
export function steeringOf(flags: SteeringFlags): {
  readonly [K in keyof Steering]: Steering[K] | undefined;
} {
  return {
    fields: flags.fields as Steering["fields"],
    recency: flags.recency === undefined ? undefined : recencyOf(flags.recency),
    diversity: flags.diversity === undefined ? undefined : numberFlag("--diversity", flags.diversity),
    expand: flags.expand === undefined ? undefined : expandOf(flags.expand),
    explain: flags.explain,
    rerank: flags.rerank,
    exact: flags.exact,
  };
}

function recencyOf(source: string): NonNullable<Steering["recency"]> {
  const [, amount, unit, weight] = /^([\d.]+)([smhd]?)(?::([^:]+))?$/.exec(source) ?? [];
  if (amount === undefined)
    throw new TypeError(`--recency must be a half-life such as 7d, 12h or 3600, got ${source}`);
  const half_life_s = numberFlag("--recency", amount) * UNIT_SECONDS[unit || "s"]!;
  return weight === undefined ? { half_life_s } : { half_life_s, weight: numberFlag("--recency", weight) };
}

function expandOf(source: string): NonNullable<Steering["expand"]> {
  const [before, after, ...rest] = source.split(",");
  if (before === undefined || after === undefined || rest.length > 0) {
    throw new TypeError(`--expand must be two numbers such as 2,1, got ${source}`);
  }
  return { before: numberFlag("--expand", before), after: numberFlag("--expand", after) };
}
