import { readFile, writeFile } from "node:fs/promises";
import { benchAgentic } from "./cases/agentic.js";
import { benchEval } from "./cases/eval.js";
import { benchGateway } from "./cases/gateway.js";
import { benchHooks } from "./cases/hooks.js";
import { benchHybrid } from "./cases/hybrid.js";
import { benchList } from "./cases/list.js";
import { benchNamespaces } from "./cases/namespaces.js";
import { benchNoise } from "./cases/noise.js";
import { benchOpen } from "./cases/open.js";
import { benchRemember } from "./cases/remember.js";
import { benchRetrieve } from "./cases/retrieve.js";
import { benchStores } from "./cases/stores.js";
import { benchThinking } from "./cases/thinking.js";
import { benchWorking } from "./cases/working.js";
import { searchChart } from "./chart.js";
import { type Flags, helpText, readFlags } from "./flags.js";
import { endOnSignal } from "./harness/end-on-signal.js";
import { type BenchEnvironment, openEnvironment } from "./harness/environment.js";
import { type BenchResult, resultTable } from "./harness/result.js";

const CASES: Record<string, (environment: BenchEnvironment, flags: Flags) => Promise<BenchResult[]>> = {
  working: benchWorking,
  stores: benchStores,
  hybrid: benchHybrid,
  open: benchOpen,
  namespaces: benchNamespaces,
  list: benchList,
  noise: benchNoise,
  agentic: benchAgentic,
  eval: benchEval,
  gateway: benchGateway,
  hooks: benchHooks,
  remember: benchRemember,
  retrieve: benchRetrieve,
  thinking: benchThinking,
};

async function main(args: string[]): Promise<void> {
  const cases = Object.keys(CASES);
  let flags: Flags | undefined;
  try {
    flags = readFlags(args, cases);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${helpText(cases)}`);
    process.exitCode = 2;
    return;
  }
  if (flags === undefined) process.stdout.write(helpText(cases));
  else await report(flags.from === undefined ? await measure(flags) : await readResults(flags.from), flags);
}

async function readResults(file: string): Promise<BenchResult[]> {
  return JSON.parse(await readFile(file, "utf8")) as BenchResult[];
}

async function report(results: readonly BenchResult[], { json, chart }: Flags): Promise<void> {
  process.stdout.write(`${resultTable(results)}\n`);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(results, null, 2)}\n`);
  if (chart !== undefined) await writeFile(chart, searchChart(results));
}

async function measure(flags: Flags): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const name of flags.only) {
    const environment = await openEnvironment();
    const removeHandlers = endOnSignal(environment.close);
    try {
      process.stderr.write(`measuring ${name}\n`);
      results.push(...(await CASES[name]!(environment, flags)));
    } finally {
      await environment.close();
      removeHandlers();
    }
  }
  return results;
}

await main(process.argv.slice(2));
