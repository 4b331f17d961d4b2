import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { endOnSignal } from "../../../../tools/bench/src/harness/end-on-signal.js";
import { type BenchResult, resultTable } from "../../../../tools/bench/src/harness/result.js";
import { runSoakCommand } from "../../crash/soak-command.js";
import { benchCold } from "./cold.js";
import { benchIdle } from "./idle.js";
import { benchLog } from "./log.js";
import { benchPauses } from "./pauses.js";
import { closeSides, openSides, type Sides } from "./sides.js";
import { benchStores } from "./stores.js";

const CASES: Record<string, (sides: Sides) => Promise<BenchResult[]>> = {
  idle: benchIdle,
  log: benchLog,
  cold: benchCold,
  stores: benchStores,
  pauses: benchPauses,
};

const HELP = `npm run bench:cluster -- [--only CASE,...] [--json FILE]

Starts three nats-servers that sync every write, an object store in this process, and hosts of a cluster. Compares it with a host with
a folder in the same run. See tools/bench/README.md for the cases.

  --only CASE,...  cases to run: ${Object.keys(CASES).join(", ")} (default: all)
  --json FILE      also write the results to this file
`;

interface ClusterBenchFlags {
  readonly only: readonly string[];
  readonly json: string | undefined;
}

/** Returns undefined for a request of help. @throws {TypeError} naming the invalid flag. */
function readFlags(args: string[]): ClusterBenchFlags | undefined {
  const options = {
    only: { type: "string" },
    json: { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) return undefined;
  const only = values.only?.split(",") ?? Object.keys(CASES);
  const unknown = only.find((name) => CASES[name] === undefined);
  if (unknown === undefined) return { only, json: values.json };
  throw new TypeError(`unknown case ${unknown}: expected one of ${Object.keys(CASES).join(", ")}`);
}

async function bench({ only, json }: ClusterBenchFlags): Promise<void> {
  const results: BenchResult[] = [];
  const sides = await openSides();
  const close = () => closeSides(sides);
  const removeHandlers = endOnSignal(close);
  try {
    for (const name of only) {
      process.stderr.write(`measuring ${name}\n`);
      results.push(...(await CASES[name]!(sides)));
    }
  } finally {
    removeHandlers();
    await close();
  }
  process.stdout.write(`${resultTable(results)}\n`);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(results, null, 2)}\n`);
}

await runSoakCommand(process.argv.slice(2), { help: HELP, readFlags, run: bench });
