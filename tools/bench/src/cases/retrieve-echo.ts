import { fileURLToPath } from "node:url";
import type { MemoryClient } from "@membus/agent-client";
import { sampleQueries } from "../harness/dataset.js";
import { type BenchEnvironment, firstOutput } from "../harness/environment.js";
import { median, pairs, runLoad } from "../harness/load.js";
import { type BenchResult, benchResult } from "../harness/result.js";

const ECHO = fileURLToPath(new URL("../echo-responder.js", import.meta.url));
const ROUNDS = 5;
const QUERIES = 200;

/** Measures a retrieve against three NATS echoes plus one millisecond. */
export async function echoRatio(
  { environment, client }: { readonly environment: BenchEnvironment; readonly client: MemoryClient },
  id: string,
): Promise<BenchResult> {
  const echo = environment.startScript(ECHO, []);
  await firstOutput(echo);
  const queries = sampleQueries(QUERIES);
  const results = await pairs(
    ROUNDS,
    () =>
      runLoad(QUERIES, 1, (index) =>
        client.retrieve({ query: queries[index]!, tier: "episodic", limit: 10 }),
      ),
    () => runLoad(QUERIES, 1, (index) => environment.connection.request("bench.echo", queries[index]!)),
  );
  await environment.end(echo);
  const allowed = ({ raw }: (typeof results)[number]) => 3 * raw.p50 + 1;
  return benchResult(
    id,
    {
      ratio: median(results.map((pair) => pair.ours.p50 / allowed(pair))),
      title: "top 10 hybrid, relative to three NATS echoes and 1 ms",
      ours: `${median(results.map(({ ours }) => ours.p50)).toFixed(2)} ms`,
      raw: `${median(results.map(allowed)).toFixed(2)} ms`,
    },
    ["at most", 1],
  );
}
