import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { STATIC_EMBEDDER_DEFAULTS } from "@membus/embeddings";
import { LIMITS } from "@membus/protocol";
import { benchHybrid } from "./cases/hybrid.js";
import { benchNamespaces } from "./cases/namespaces.js";
import { benchOpen } from "./cases/open.js";
import { benchRetrieve } from "./cases/retrieve.js";
import { benchStores } from "./cases/stores.js";
import { benchWorking } from "./cases/working.js";
import { type BenchEnvironment, openEnvironment } from "./harness/environment.js";
import { type BenchResult, resultTable } from "./harness/result.js";

/** The most entries that retrieves are measured over; a million takes many minutes, so it must be asked for. */
const ENTRIES_MAX_DEFAULT = "100000";

interface CaseOptions {
  readonly entriesMax: number;
  readonly dimensions: number;
}

const CASES: Record<string, (environment: BenchEnvironment, options: CaseOptions) => Promise<BenchResult[]>> =
  {
    working: benchWorking,
    stores: benchStores,
    hybrid: benchHybrid,
    open: benchOpen,
    namespaces: benchNamespaces,
    retrieve: benchRetrieve,
  };

/** `npm run bench -- [--only CASE,...] [--entries MAX] [--dimensions N] [--json FILE]`: every figure is a ratio to a raw limit measured beside it. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      entries: { type: "string", default: ENTRIES_MAX_DEFAULT },
      dimensions: { type: "string", default: String(STATIC_EMBEDDER_DEFAULTS.dimensions) },
      json: { type: "string" },
    },
  });
  const chosen = values.only?.split(",") ?? Object.keys(CASES);
  for (const name of chosen) {
    if (CASES[name] === undefined)
      throw new TypeError(`no case ${name}: there are ${Object.keys(CASES).join(", ")}`);
  }
  const entriesMax = Number(values.entries);
  if (!(entriesMax >= 1)) throw new TypeError(`--entries must be a number of entries, got ${values.entries}`);
  const dimensions = Number(values.dimensions);
  if (!(Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= LIMITS.embeddingDimensions))
    throw new TypeError(`--dimensions must be 1..${LIMITS.embeddingDimensions}, got ${values.dimensions}`);
  const results: BenchResult[] = [];
  for (const name of chosen) {
    const environment = await openEnvironment();
    try {
      process.stderr.write(`measuring ${name}\n`);
      results.push(...(await CASES[name]!(environment, { entriesMax, dimensions })));
    } finally {
      await environment.close();
    }
  }
  process.stdout.write(`${resultTable(results)}\n`);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);
}

await main();
