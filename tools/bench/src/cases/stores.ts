import { sampleEntries } from "../harness/dataset.js";
import type { BenchEnvironment } from "../harness/environment.js";
import { type Load, pairs, runLoad } from "../harness/load.js";
import { rateRatio } from "../harness/load-ratio.js";
import { openRawStore } from "../harness/raw-store.js";
import type { BenchResult } from "../harness/result.js";
import { checkStored, storePayloads } from "../harness/store-payloads.js";

const ROUNDS = 5;
const SCOPES = 100;
const SINGLE_COUNT = 6_400;
const BULK_COUNT = 20_000;
const BULK_SIZE = 100;

/**
 * Measures durable stores over NATS (durability "disk"), against LanceDB with the same columns and prebuilt
 * batches.
 */
export async function benchStores(environment: BenchEnvironment): Promise<BenchResult[]> {
  const host = await environment.startHost({ name: "stores" });
  try {
    const single = (inFlight: number, hasNewTexts = false) =>
      storeRate(environment, { count: SINGLE_COUNT, perRequest: 1, inFlight, hasNewTexts });
    return [
      rateRatio("episodic-x64", await single(64), {
        title: "single episodic stores, 64 in flight, relative to LanceDB in batches of 64",
        goal: 0.4,
      }),
      rateRatio("episodic-x64-new", await single(64, true), {
        title: "the same with new texts that the host embeds (LanceDB: embedded in advance)",
      }),
      rateRatio("episodic-x16", await single(16), { title: "the same with 16 in flight" }),
      rateRatio("episodic-x1", await single(1), { title: "the same with 1 in flight" }),
      rateRatio("bulk", await bulk(environment), {
        title: "100 entries per request, relative to LanceDB in batches of 1000",
        goal: 0.15,
      }),
    ];
  } finally {
    await environment.end(host);
  }
}

interface Case {
  readonly count: number;
  readonly perRequest: number;
  readonly inFlight: number;
  /** Uses texts that no earlier run has stored. The host caches the vectors of known texts. */
  readonly hasNewTexts?: boolean;
}

let runs = 0;
const FIRST_SEED = 1_000;

async function storeRate(environment: BenchEnvironment, shape: Case): Promise<{ ours: Load; raw: Load }[]> {
  const requests = shape.inFlight === 1 ? shape.count / 8 : shape.count;
  return measure(environment, { ...shape, count: requests }, 64);
}

function bulk(environment: BenchEnvironment): Promise<{ ours: Load; raw: Load }[]> {
  return measure(environment, { count: BULK_COUNT, perRequest: BULK_SIZE, inFlight: 4 }, 1_000);
}

/** Returns rates in entries per second. */
async function measure(
  environment: BenchEnvironment,
  shape: Case,
  rawBatch: number,
): Promise<{ ours: Load; raw: Load }[]> {
  const raw = await openRawStore(
    `${environment.directory}/raw-${++runs}`,
    sampleEntries(shape.count),
    rawBatch,
  );
  const ours = async () => {
    const options = { tier: "episodic", agents: SCOPES, perRequest: shape.perRequest, run: `run-${++runs}` };
    const seed = shape.hasNewTexts ? FIRST_SEED + runs : undefined;
    const payloads = storePayloads(sampleEntries(shape.count, seed), options);
    const load = await runLoad(payloads.length, shape.inFlight, async (index) => {
      const { subject, payload } = payloads[index]!;
      const reply = await environment.bus.request(subject, payload, { timeoutMs: 60_000 });
      checkStored(reply.payload, shape.perRequest);
    });
    return { ...load, perSecond: load.perSecond * shape.perRequest };
  };
  const rawLoad = async () => {
    const load = await runLoad(raw.batchCount, 1, (index) => raw.add(index));
    return { ...load, perSecond: load.perSecond * rawBatch };
  };
  await ours();
  await rawLoad();
  const results = await pairs(ROUNDS, ours, rawLoad);
  await raw.close();
  return results;
}
