import type { MemoryClient } from "@membus/agent-client";
import { entriesOf, QUESTIONS, SECRET_TAG, textOf } from "./conversation.js";
import type { Stage } from "./stage.js";
import type { Transcript } from "./transcript.js";

const FACT = { fact: "opening_date" };
const LIST = { list: "before_opening" };

export async function store({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  for (const client of [alice, bob]) {
    const entries = entriesOf(client.agent);
    const { stored } = await client.store(entries);
    const { total } = await client.retrieve({ tier: "episodic", limit: 0 });
    const detail = `${stored.length} of ${entries.length} stored, ${total} found`;
    transcript.check(client.agent, stored.length === entries.length && total === entries.length, detail);
  }
}

export async function retrieve(stage: Stage, transcript: Transcript): Promise<void> {
  for (const { agent, ask, answer } of QUESTIONS) {
    const { entries } = await stage[agent].retrieve({ query: ask, tier: "episodic", limit: 3 });
    const position = entries.findIndex(({ content }) => textOf(content).includes(answer));
    const shown = entries[Math.max(0, position)];
    const detail = `no. ${position + 1}, ${shown?.score.toFixed(2)}: “${textOf(shown?.content)}”`;
    transcript.check(`${agent}: “${ask}”`, position >= 0, detail);
  }
  const query = "orbital mechanics of the moons of Jupiter";
  const { total } = await stage.alice.retrieve({ query, tier: "episodic", min_score: 0.3 });
  transcript.check(`alice: “${query}”`, total === 0, `${total} with a score of 0.3 or more`);
}

/** Bob tries to find alice's entries in every possible way. */
export async function isolate({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  const aliceTexts = new Set(entriesOf(alice.agent).map(({ content }) => textOf(content)));
  const keyOfAlice = { turn: aliceTexts.size };
  const byKey = await bob.retrieve({ keys: [keyOfAlice] });
  transcript.check("bob retrieves one of alice's keys", byKey.total === 0, `${byKey.total} found`);
  let foreign = 0;
  for (const query of aliceTexts) {
    const { entries } = await bob.retrieve({ query, limit: 100 });
    foreign += entries.filter(
      ({ content, author }) => author !== "bob" || aliceTexts.has(textOf(content)),
    ).length;
  }
  transcript.check(
    "bob searches for alice's exact words",
    foreign === 0,
    `${foreign} entries of alice found`,
  );
  const { deleted } = await bob.forget({ keys: [keyOfAlice], dry_run: true });
  transcript.check("bob cannot forget it either", deleted === 0, `${deleted} would be deleted`);
}

/** Changes a shared fact: one agent stores it, the other reads it. */
export async function share({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  const outcomes: string[] = [];
  for (const text of ["The bakery opens on 25 April.", "The bakery opens on 9 May."]) {
    const { receipts } = await alice.store({ key: FACT, content: { text }, tier: "semantic" });
    outcomes.push(receipts[0]!.outcome);
  }
  transcript.check("alice corrects a fact", outcomes.join() === "created,updated", outcomes.join(", then "));
  const query = "when is the opening?";
  const { entries } = await bob.retrieve({ query, tier: "semantic" });
  const found = entries.map(({ content, author }) => `“${textOf(content)}”, by ${author}`).join("; ");
  transcript.check(`bob: “${query}”`, found === "“The bakery opens on 9 May.”, by alice", found);
}

/**
 * Both agents append to a list from the same revision. One is refused and retries, so that no item is lost.
 */
export async function addToOneList({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  const seen = await readList(bob);
  const [first, second] = await Promise.all([addToList(alice, seen), addToList(bob, seen)]);
  const oneRefused = [first, second].sort().join() === "conflict,stored";
  transcript.check(
    "one of two writes to the same revision is refused",
    oneRefused,
    `alice ${first}, bob ${second}`,
  );
  const again = await addToList(first === "stored" ? bob : alice, await readList(alice));
  const { items } = await readList(bob);
  const bothThere = again === "stored" && [...items].sort().join() === "alice's,bob's";
  transcript.check(
    "the refused agent reads the list again and appends its item",
    bothThere,
    items.join(", "),
  );
}

async function readList(client: MemoryClient): Promise<{ items: string[]; revision: number }> {
  const { entries } = await client.retrieve({ keys: [LIST], tier: "semantic" });
  return { items: (entries[0]?.content ?? []) as string[], revision: entries[0]?.revision ?? 0 };
}

async function addToList(
  client: MemoryClient,
  { items, revision }: { items: readonly string[]; revision: number },
): Promise<string> {
  const content = [...items, `${client.agent}'s`];
  const entry = { key: LIST, content, tier: "semantic", if_revision: revision } as const;
  const { errors } = await client.store(entry, { partial: true });
  return errors[0]?.code ?? "stored";
}

export async function forget({ alice }: Stage, transcript: Transcript): Promise<void> {
  const secrets = secretsOf(alice).length;
  const { deleted } = await alice.forget({ tags: [SECRET_TAG] });
  transcript.check("alice forgets the secrets of the baker", deleted === secrets, `${deleted} of ${secrets}`);
  const left = await secretsLeft(alice);
  transcript.check("neither tag nor query finds them", left === 0, `${left} found`);
}

function secretsOf(client: MemoryClient): string[] {
  const secrets = entriesOf(client.agent).filter(({ tags }) => tags?.includes(SECRET_TAG));
  return secrets.map(({ content }) => textOf(content));
}

/** Returns the number of secrets found by their tag or by their own words. */
export async function secretsLeft(client: MemoryClient): Promise<number> {
  const secrets = secretsOf(client);
  let { total } = await client.retrieve({ tags: [SECRET_TAG], limit: 0 });
  for (const query of secrets) {
    const { entries } = await client.retrieve({ query });
    total += entries.filter(({ content }) => secrets.includes(textOf(content))).length;
  }
  return total;
}
