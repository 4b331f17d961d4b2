import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type OptionsOf, option, optionSet } from "@membus/protocol";
import { type Command, InvalidArgumentError } from "commander";
import { type Baseline, parseBaseline } from "../catalogue/baseline.js";
import type { Check, Route } from "../catalogue/check.js";
import { CHECKS } from "../checks/index.js";
import { checkTargets, type ReportTargets } from "./report-files.js";
import { selectChecks } from "./select-checks.js";
import { UsageError } from "./usage-error.js";

const SEED_MAX = 2 ** 32 - 1;

const RunNumbersSchema = optionSet({
  seed: option.integer(0, SEED_MAX).optional(),
  repeat: option.integer(1, 10_000).optional(),
  checkTimeoutMs: option.integer(1, 600_000).optional(),
});

/** Values of the flags that both commands accept, with their numbers parsed. */
export interface RunFlags extends ReportTargets, OptionsOf<typeof RunNumbersSchema> {
  readonly only?: readonly string[];
  readonly baseline?: string;
  readonly strict?: boolean;
  readonly list?: boolean;
}

/** Validated values of the flags. */
export interface RunSettings {
  readonly checks: readonly Check[];
  readonly seed: number;
  readonly repeat: number;
  readonly baseline: Baseline;
  readonly strict: boolean;
  readonly checkTimeoutMs?: number;
  readonly targets: ReportTargets;
}

export function addRunOptions(command: Command): Command {
  return command
    .option("--only <id,..>", "run only these checks: ids, areas or profiles", listArgument)
    .option("--seed <n>", "seed of all random values (default: random, and printed)", integer("seed"))
    .option("--repeat <n>", "number of runs of each check, each with another seed", integer("repeat"))
    .option("--baseline <file>", "checks that are known to be red: YAML lines of `check-id: reason`")
    .option("--strict", "treat a failed SHOULD like a failed MUST")
    .option("--list", "list the checks with their clauses and exit")
    .option("--json <file>", "write the report as JSON (- is standard output)")
    .option("--junit <file>", "write the report as JUnit XML (- is standard output)")
    .option("--html <file>", "write the report as one HTML page (- is standard output)")
    .option(
      "--check-timeout-ms <ms>",
      "time in which a check or one of its calls must end (default 30000, more for a slow host)",
      integer("checkTimeoutMs"),
    );
}

/**
 * Validates the flags and loads the baseline.
 * @throws {UsageError} for an invalid check name, file or baseline.
 */
export async function resolveRunSettings(flags: RunFlags, route: Route): Promise<RunSettings> {
  const { only, seed, repeat = 1, baseline, strict = false, checkTimeoutMs, json, junit, html } = flags;
  const targets = { ...(json && { json }), ...(junit && { junit }), ...(html && { html }) };
  await checkTargets(targets);
  return {
    checks: selectChecks(only, route),
    seed: seed ?? randomInt(SEED_MAX),
    repeat,
    baseline: baseline === undefined ? new Map() : await readBaseline(baseline),
    strict,
    ...(checkTimeoutMs === undefined ? {} : { checkTimeoutMs }),
    targets,
  };
}

async function readBaseline(file: string): Promise<Baseline> {
  const yaml = await readFile(file, "utf8").catch((cause: Error) => {
    throw new UsageError(`cannot read the baseline: ${cause.message}`, { cause });
  });
  return parseBaseline(
    yaml,
    CHECKS.map(({ id }) => id),
  );
}

/** Splits `a,b` into a list without empty items. */
export function listArgument(text: string): string[] {
  const items = text.split(",").map((item) => item.trim());
  if (items.some((item) => item === "")) throw new InvalidArgumentError("Give names, separated by commas.");
  return items;
}

function integer(name: keyof typeof RunNumbersSchema.shape): (text: string) => number | undefined {
  return (text) => {
    const { success, data, error } = RunNumbersSchema.shape[name].safeParse(
      /^\d+$/.test(text) ? Number(text) : text,
    );
    if (success) return data;
    throw new InvalidArgumentError(`It ${error.issues[0]!.message}.`);
  };
}
