import { LongTermMemory } from "@membus/agentic";
import { expect, it } from "vitest";
import { requestOf } from "../../agentic/test/scripted-openai/index.js";
import { codingAgentScript } from "../scripted/coding-agent.js";
import { lastOf } from "../scripted/request.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("coding-agent", codingAgentScript);

const LICENCE = "// SPDX-License-Identifier: Apache-2.0";
const ADVICE = "Begin every module with the licence line that write_file requires.";

it("avoids the mistake of the first task in the second one", () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  expect(stdout.match(/\d model calls, failed tool calls: \d/g)).toEqual([
    "4 model calls, failed tool calls: 1",
    "3 model calls, failed tool calls: 0",
  ]);
  expect(stdout.match(/^ {2}✓ run_test: the test passed$/gm)).toHaveLength(2);

  const systems = stage.requests
    .filter((request) => requestOf(request).name === "" && lastOf(request).role === "user")
    .map(({ body }) => String(body.messages[0]!.content));
  expect(systems).toHaveLength(2);
  expect(systems[0]).not.toContain("recalled-memories");
  expect(systems[1]).toContain(ADVICE);
  expect(systems[1]).toContain(LICENCE);
  expect(systems[1]).toContain("2 calls, 50 % successful, 100 tokens on average.");
});

it("leaves tool statistics and the learned experience on the bus", async () => {
  const memory = new LongTermMemory(await stage.connect("coder"), { subject: "agent:coder" });
  expect(await memory.sizes()).toMatchObject({ experience: 1, guideline: 2, tool_call: 5 });
  const { memories } = await memory.guidelines(["write_file", "run_test"]);
  expect(Object.fromEntries(memories.map(({ id, record }) => [id, record.content]))).toMatchObject({
    write_file: { figures: { calls: 3, success_rate: 2 / 3, mean_token_cost: 100 } },
    run_test: { figures: { calls: 2, success_rate: 1, mean_token_cost: 100 } },
  });
  const { memories: found } = await memory.retrieve("write a module", { kinds: ["experience"] });
  expect(found.map(({ text, record }) => [text, record.metadata.value])).toEqual([[ADVICE, 1]]);
});
