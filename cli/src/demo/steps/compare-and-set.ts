import type { Json } from "@membus/protocol";
import type { RemoteAgent } from "../remote-agent.js";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

const KEY = { list: "before_opening" };
const ADDITIONS = { alice: "stickers with the new date on the posters", bob: "a new seal for the oven door" };

interface Attempt {
  readonly agent: RemoteAgent;
  readonly stored: boolean;
  /** Code of the refusal. */
  readonly refusal: string | undefined;
  /** The revision that stood in the way, as the refusal names it. */
  readonly standing: unknown;
}

/** Both agents add to one list from the same revision: one is refused, reads again, and nothing is lost. */
export async function compareAndSet({ alice, bob }: Stage, transcript: Transcript): Promise<void> {
  await alice.ask("store", { key: KEY, content: ["three lockers"], tier: "semantic", if_revision: 0 });
  const seen = await read(bob);
  const attempts = await Promise.all([alice, bob].map((agent) => add(agent, seen)));
  const winner = attempts.find(({ stored }) => stored);
  const loser = attempts.find(({ stored }) => !stored);
  const now = await read(alice);
  transcript.check(
    "both add to one list from the same revision, one of them is refused",
    winner !== undefined && loser?.refusal === "conflict" && loser.standing === now.revision,
    `${winner?.agent.name} stored, ${loser?.agent.name} got ${loser?.refusal}, revision is ${loser?.standing}`,
  );
  const again = await add(loser?.agent ?? bob, now);
  const { items } = await read(bob);
  transcript.check(
    "the refused one reads again and adds to what is there",
    again.stored && items.length === 3 && Object.values(ADDITIONS).every((item) => items.includes(item)),
    JSON.stringify(items),
  );
}

interface Reading {
  readonly items: readonly Json[];
  readonly revision: number;
}

async function read(agent: RemoteAgent): Promise<Reading> {
  const { entries } = await agent.ask("retrieve", { keys: [KEY], tier: "semantic" });
  const [entry] = entries;
  return { items: (entry?.content ?? []) as Json[], revision: entry?.revision ?? 0 };
}

async function add(agent: RemoteAgent, { items, revision }: Reading): Promise<Attempt> {
  const content = [...items, ADDITIONS[agent.name as keyof typeof ADDITIONS]];
  const entry = { key: KEY, content, tier: "semantic", if_revision: revision } as const;
  const { receipts, errors } = await agent.ask("store", entry);
  const [error] = errors;
  return {
    agent,
    stored: receipts.length === 1,
    refusal: error?.code,
    standing: error?.detail.revision,
  };
}
