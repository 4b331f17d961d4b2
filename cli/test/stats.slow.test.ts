import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { openConversation } from "@membus/agentic";
import { afterAll, beforeAll, expect, it } from "vitest";
import { literal } from "../../agentic/test/learner-fixture.js";
import { ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
let server: ScriptedOpenAi;
beforeAll(async () => {
  await host.start();
  server = await ScriptedOpenAi.start(literal);
});
afterAll(async () => {
  await server.stop();
  await host.stop();
});

const learn = (...more: readonly string[]) =>
  host.cli(["learn", "--once", "--agent", "alice", "--model", "m", "--base-url", server.baseUrl, ...more]);
const stats = async () => (await host.cli(["stats", "--agent", "alice"])).stdout.split("\n")[0]!;

it("shows the budget of the settings, over which messages wait until it is renewed", async () => {
  const client = await MemoryClient.connect({ servers: host.url, agent: "alice" });
  await (await openConversation(client, { id: "c1" })).add({ role: "user", content: "I like tea" });
  await client.close();
  expect(await stats()).toBe("no budget: no model was called with one");

  await writeFile(join(host.directory, "membus.yaml"), "budget: { tokens: 10, per: month }\n");
  const poor = await learn();
  expect(poor.code).toBe(1);
  expect(poor.stderr).toContain("ModelError: the budget per month has used 0 of 10 tokens");
  expect(poor.stderr).toMatch(
    /0 batches, 1 failed, 0 model calls, 0 tokens\nbudget: agent, month [-\d]+: 0 of 10/,
  );
  expect(server.requests).toEqual([]);

  const rich = await learn("--budget-tokens", "100000", "--budget-usd", "1", "--input-price", "1");
  expect(rich).toMatchObject({ code: 0, stdout: expect.stringMatching(/likes? tea/) });
  expect(await stats()).toMatch(
    /^budget {2}agent, month \d{4}-\d\d: [1-9]\d* of 100000 tokens, 0\.\d{4} of 1 USD, 1 call, until \d{4}-\d\d-01T00:00:00\.000Z$/,
  );
  const { budgets } = await host.json<{ budgets: object[] }>(["stats", "--agent", "alice"]);
  expect(budgets).toMatchObject([{ scope: "agent", per: "month", calls: 1, tokensMax: 100_000, usdMax: 1 }]);
  const plots = (await host.cli(["stats", "--agent", "alice"])).stdout;
  expect(plots).toMatch(/^entries of alice, by tier\n {2}working +0\n {2}episodic +[1-9]\d* {2}[█#]+\n/m);
  expect(plots).toMatch(/^entries of alice, by kind\n(.+\n)* {2}fact +1 {2}[█#]+\n/m);
  expect(plots).toMatch(/^created per half day since \d{4}-\d\d-\d\d, at most [1-9]\d*\n.*[█#][▏|]$/m);
  expect(plots).toMatch(/^ {2}store +[▕|].{15}[▏|] {2}p50 up to [\d.]+ m?s, p95 .+, p99 .+$/m);
  expect((await host.cli(["stats", "--agent", "bob"])).stdout).toContain("no budget");
});

it("refuses an invalid budget in the settings", async () => {
  await writeFile(join(host.directory, "membus.yaml"), "budget: { token: 10 }\n");
  const { code, stderr } = await learn();
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("budget: unknown option `token` (did you mean"),
  ]);
});
