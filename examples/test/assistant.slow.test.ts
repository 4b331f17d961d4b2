import { LongTermMemory } from "@membus/agentic";
import { expect, it } from "vitest";
import { requestOf } from "../../agentic/test/scripted-openai/index.js";
import { assistantScript } from "../scripted/assistant.js";
import { wordsOf } from "../scripted/request.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("assistant", assistantScript);

const ADA = "The user's manager is Ada.";
const GRACE = "The user's manager is Grace.";

it("remembers across days, and knows the current and the former value of a changed fact", () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);

  const [before = "", , today] = stdout.match(/^\d{4}-\d\d-\d\d$/gm) ?? [];
  const talks = stage.requests.filter((request) => requestOf(request).name === "");
  const [first, second, searched, third] = talks.map(wordsOf);
  expect(talks).toHaveLength(4);
  expect(first).not.toContain("recalled-memories");
  expect(second).toMatch(/<recalled-memories>[\s\S]*The user's manager is Ada\./);
  expect(second).not.toContain("I work at Acme");
  expect(searched).toMatch(
    /Found the following memories:\n\n1\. The user's manager is Ada\. \(score: 0\.\d\d\)/,
  );
  expect(third).toContain(`(fact of ${before}, by user) ${ADA}`);

  expect(stdout).toContain("  assistant:  Ada, I am ill today.\n");
  expect(stdout).toContain("  learned:    superseded (done)\n");
  expect(stdout).toContain(`  today:      ${GRACE}\n  yesterday:  ${ADA}\n`);
  expect(stdout).toContain(`  ${before} to ${today}  ${ADA}\n`);
});

it("leaves one user on the bus, with the replaced fact", async () => {
  const client = await stage.connect("assistant");
  const [user, ...others] = await new LongTermMemory(client, { subject: "anybody" }).listSubjects();
  expect(others).toEqual([]);
  const longTerm = new LongTermMemory(client, { subject: user!.subject });
  expect(await longTerm.sizes()).toMatchObject({ fact: 2, superseded: 1 });
  const { memories } = await longTerm.retrieve("manager", { limit: 1 });
  const history = await longTerm.history(memories[0]!.id);
  expect(history.map(({ text }) => text)).toEqual([ADA, GRACE]);
  const { total } = await client.inNamespace("conversations").retrieve({ tier: "episodic", limit: 0 });
  expect(total).toBe(8);
});
