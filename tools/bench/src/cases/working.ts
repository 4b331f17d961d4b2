import { fileURLToPath } from "node:url";
import { MemoryClient } from "@membus/agent-client";
import { sampleEntries } from "../harness/dataset.js";
import { type BenchEnvironment, firstOutput } from "../harness/environment.js";
import { median, pairs, runLoad } from "../harness/load.js";
import { rateRatio } from "../harness/load-ratio.js";
import { type BenchResult, benchResult } from "../harness/result.js";
import { checkStored, storePayloads } from "../harness/store-payloads.js";

const ECHO = fileURLToPath(new URL("../echo-responder.js", import.meta.url));
const ROUNDS = 7;
const X64_COUNT = 8_000;
/** Many short rounds, because other load on the machine matters most with one request in flight. */
const X1_ROUNDS = 35;
const X1_COUNT = 300;
const AGENTS = 16;

/**
 * Measures the working tier against a raw echo of the same bytes: the cost of routing, validation and
 * storage.
 */
export async function benchWorking(environment: BenchEnvironment): Promise<BenchResult[]> {
  const echo = environment.startScript(ECHO, []);
  await firstOutput(echo);
  const host = await environment.startHost({ name: "working" });
  try {
    return [...(await requestRatios(environment)), await clientRatio(environment)];
  } finally {
    await environment.end(host);
    await environment.end(echo);
  }
}

async function requestRatios(environment: BenchEnvironment): Promise<BenchResult[]> {
  const { ours, raw } = operations(environment, X64_COUNT);
  await ours(-1, 2_000, 64);
  await raw(2_000, 64);
  const x64 = await pairs(
    ROUNDS,
    (round) => ours(round, X64_COUNT, 64),
    () => raw(X64_COUNT, 64),
  );
  const x1 = await pairs(
    X1_ROUNDS,
    (round) => ours(100 + round, X1_COUNT, 1),
    () => raw(X1_COUNT, 1),
  );
  const p50 = (side: "ours" | "raw") => `${median(x1.map((pair) => pair[side].p50)).toFixed(3)} ms`;
  return [
    rateRatio("working-x64", x64, {
      title: "working store, 64 in flight, relative to a raw NATS echo",
      goal: 0.45,
    }),
    benchResult(
      "working-p50",
      {
        ratio: median(x1.map((pair) => pair.ours.p50 / pair.raw.p50)),
        title: "median time with 1 in flight, relative to the echo",
        ours: p50("ours"),
        raw: p50("raw"),
      },
      ["at most", 2.5],
    ),
  ];
}

function operations({ connection }: BenchEnvironment, count: number) {
  const entries = sampleEntries(count);
  return {
    async ours(round: number, requests: number, inFlight: number) {
      const run = { tier: "working", agents: AGENTS, perRequest: 1, run: `working-${round}` };
      const payloads = storePayloads(entries.slice(0, requests), run);
      return runLoad(requests, inFlight, async (index) => {
        const { subject, payload } = payloads[index]!;
        checkStored((await connection.request(subject, payload, { timeout: 30_000 })).data, 1);
      });
    },
    async raw(requests: number, inFlight: number) {
      const run = { tier: "working", agents: AGENTS, perRequest: 1, run: "echo" };
      const payloads = storePayloads(entries.slice(0, requests), run);
      return runLoad(requests, inFlight, async (index) => {
        const { payload } = payloads[index]!;
        (await connection.request("bench.echo", payload, { timeout: 30_000 })).json();
      });
    },
  };
}

/** Measures the same stores through `MemoryClient`, which also builds and validates messages. */
async function clientRatio({ url, connection }: BenchEnvironment): Promise<BenchResult> {
  const client = await MemoryClient.connect({ servers: url, agent: "bench" });
  const entries = sampleEntries(X64_COUNT);
  const payloads = storePayloads(entries, { tier: "working", agents: 1, perRequest: 1, run: "echo" });
  const results = await pairs(
    ROUNDS,
    () =>
      runLoad(X64_COUNT, 64, (index) =>
        client.store({ ...entries[index]!, tags: [...entries[index]!.tags] }),
      ),
    () => runLoad(X64_COUNT, 64, (index) => connection.request("bench.echo", payloads[index]!.payload)),
  );
  await client.close();
  return rateRatio("working-client", results, { title: "the same stores through MemoryClient" });
}
