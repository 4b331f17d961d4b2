import { LongTermMemory } from "@membus/agentic";
import { expect, it } from "vitest";
import { askedFor, decided, foundFacts, knownFacts } from "../../agentic/test/long-term-fixture.js";
import type { ReceivedChat, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";
import { ExampleStage, lastOf, wordsOf } from "./example-run.js";

const stage = new ExampleStage();

const ADA = "The user's manager is Ada.";
const GRACE = "The user's manager is Grace.";
const MAILS = "The user likes mails of one line.";

/** What the model finds in what was said, and how it stands to what is known. */
function learn(request: ReceivedChat): ScriptedAnswer {
  const { name, prompt } = askedFor(request);
  if (name === "facts") {
    if (prompt.includes("Ada is my manager")) return foundFacts(ADA, MAILS);
    return prompt.includes("Grace is my manager") ? foundFacts(GRACE) : foundFacts();
  }
  const isChanged = knownFacts(request).some(({ text }) => text === ADA);
  return decided(request, isChanged ? { outcome: "superseded", about: ADA } : { outcome: "new" });
}

/** Writes to the manager whom the user names, else to the one that is remembered; looks for that one first. */
function converse(request: ReceivedChat): ScriptedAnswer {
  const { role, text } = lastOf(request);
  if (role === "user" && text.startsWith("Write a mail")) {
    return { calls: [{ name: "search_memory", arguments: { query: "Who is the manager?" } }] };
  }
  const words = wordsOf(request);
  const [, news] = /Write .*(I am \w+)/.exec(words) ?? [];
  const [, named] = /(\w+) is my manager/.exec(words) ?? /manager is (\w+)/.exec(words) ?? [];
  return { text: news === undefined ? "Noted." : `${named}, ${news} today.` };
}

function script(request: ReceivedChat): ScriptedAnswer {
  return askedFor(request).name === "" ? converse(request) : learn(request);
}

it("remembers from day to day, and what has changed as it was and as it is", async () => {
  const { code, stdout, stderr, left } = await stage.run("assistant", script);
  expect([code, stderr, left]).toEqual([0, "", []]);

  const [before = "", , today] = stdout.match(/^\d{4}-\d\d-\d\d$/gm) ?? [];
  const talks = stage.requests.filter((request) => askedFor(request).name === "");
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

it("has left one user on the bus, with the fact that was replaced", async () => {
  const client = await stage.connect("assistant");
  const [user, ...others] = await new LongTermMemory(client, { about: "anybody" }).abouts();
  expect(others).toEqual([]);
  const longTerm = new LongTermMemory(client, { about: user!.about });
  expect(await longTerm.sizes()).toMatchObject({ fact: 2, superseded: 1 });
  const { memories } = await longTerm.retrieve("manager", { limit: 1 });
  const history = await longTerm.history(memories[0]!.id);
  expect(history.map(({ text }) => text)).toEqual([ADA, GRACE]);
  const { total } = await client.inNamespace("conversations").retrieve({ tier: "episodic", limit: 0 });
  expect(total).toBe(8);
});
