import { FACT_TAG, FACTS, factEntry, factKey, latestFacts } from "../facts.js";
import type { RemoteAgent } from "../remote-agent.js";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

/** Facts that change over the weeks, each learned by one agent and read by the other. */
export async function share({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  const outcomes: string[] = [];
  for (const fact of FACTS) {
    const { receipts } = await { alice, bob }[fact.by].ask("store", factEntry(fact));
    outcomes.push(...receipts.map(({ outcome }) => outcome));
  }
  const facts = latestFacts();
  const updates = outcomes.filter((outcome) => outcome === "updated").length;
  transcript.check(
    "alice and bob store what they learned, as they learned it",
    outcomes.length === FACTS.length && updates === FACTS.length - facts.size,
    `${outcomes.length} stored, ${updates} of them replaced an earlier one`,
  );
  await readFact(bob, "opening_date", transcript);
  await readFact(alice, "oven_delivery", transcript);
  const query = "when is the shop open?";
  const found = await bob.ask("retrieve", { query, tier: "semantic", limit: 1 });
  transcript.check(
    `bob: “${query}”`,
    found.entries[0]?.key.fact === "opening_hours" && found.entries[0].author === "alice",
    `${JSON.stringify(found.entries[0]?.content)}, by ${found.entries[0]?.author}`,
  );
  const listed = await Promise.all([alice, bob].map((agent) => agent.ask("list", { tags: [FACT_TAG] })));
  transcript.check(
    "both see the same facts",
    listed.every((entries) => entries.length === facts.size) &&
      JSON.stringify(listed[0]!.map(withoutAccess)) === JSON.stringify(listed[1]!.map(withoutAccess)),
    `${listed.map((entries) => entries.length).join(" and ")} facts`,
  );
}

async function readFact(agent: RemoteAgent, name: string, transcript: Transcript): Promise<void> {
  const latest = latestFacts().get(name)!;
  const { entries } = await agent.ask("retrieve", { keys: [factKey(name)], tier: "semantic" });
  const [entry] = entries;
  transcript.check(
    `${agent.name} reads the ${name} that ${latest.by} learned last`,
    JSON.stringify(entry?.content) === JSON.stringify({ text: latest.text }) && entry?.author === latest.by,
    `${JSON.stringify(entry?.content)}, by ${entry?.author}`,
  );
}

function withoutAccess({
  key_hash,
  revision,
  content,
}: {
  key_hash: string;
  revision: number;
  content: unknown;
}) {
  return { key_hash, revision, content };
}
