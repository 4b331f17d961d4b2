import type { Criteria } from "@membus/protocol";
import type { Turn } from "../conversation/turns.js";
import type { RemoteAgent } from "../remote-agent.js";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";
import { turnKey, turnsOf, wordCount } from "../turn-entry.js";

const PAGE_SIZE = 25;

interface Selection {
  readonly step: string;
  readonly criteria: Criteria;
  /** The same, over the conversation itself. */
  holds(turn: Turn): boolean;
}

const SELECTIONS: readonly Selection[] = [
  {
    step: "by a field of the key (match)",
    criteria: { match: { talk: "permits" } },
    holds: ({ topic }) => topic === "permits",
  },
  {
    step: "by tag",
    criteria: { tags: ["money"] },
    holds: ({ tags }) => tags.includes("money"),
  },
  {
    step: "by several tags, all of them",
    criteria: { tags: ["staff", "people"], tags_mode: "all" },
    holds: ({ tags }) => tags.includes("staff") && tags.includes("people"),
  },
  {
    step: "by filter (where): long turns of the baker, not about money",
    criteria: {
      where: {
        all: [
          { field: "metadata.speaker", op: "eq", value: "baker" },
          { field: "metadata.words", op: "gte", value: 18 },
          { not: { field: "tags", op: "eq", value: "money" } },
        ],
      },
    },
    holds: ({ speaker, text, tags }) =>
      speaker === "baker" && wordCount(text) >= 18 && !tags.includes("money"),
  },
  {
    step: "by group",
    criteria: { group: "opening-day" },
    holds: ({ topic }) => topic === "opening-day",
  },
  {
    step: "by time: what was said from 16 to 29 March",
    criteria: { since: Date.parse("2026-03-16") / 1000, until: Date.parse("2026-03-30") / 1000 },
    holds: ({ saidAt }) =>
      saidAt >= Date.parse("2026-03-16") / 1000 && saidAt < Date.parse("2026-03-30") / 1000,
  },
];

/** What each selection finds is compared with the same selection over the conversation itself. */
export async function retrieveByCriteria({ alice }: Stage, transcript: Transcript): Promise<void> {
  const turns = turnsOf(alice.name);
  await retrieveOne(alice, turns[60]!, transcript);
  for (const selection of SELECTIONS) await retrieveSelection(alice, turns, selection, transcript);
  await retrievePages(alice, turns, transcript);
}

async function retrieveOne(agent: RemoteAgent, turn: Turn, transcript: Transcript): Promise<void> {
  const { entries } = await agent.ask("retrieve", { keys: [turnKey(turn)], tier: "episodic" });
  const content = entries[0]?.content as { text?: string } | undefined;
  transcript.check(
    "by key",
    entries.length === 1 && content?.text === turn.text,
    `${JSON.stringify(turnKey(turn))} is ${JSON.stringify(content?.text)}`,
  );
}

async function retrieveSelection(
  agent: RemoteAgent,
  turns: readonly Turn[],
  { step, criteria, holds }: Selection,
  transcript: Transcript,
): Promise<void> {
  const expected = turns.filter(holds).map(({ text }) => text);
  const entries = await agent.ask("list", { ...criteria, tier: "episodic", order: "oldest" });
  const found = entries.map(({ content }) => (content as { text: string }).text);
  transcript.check(step, sameTexts(found, expected), `${found.length} found, ${expected.length} said`);
}

function sameTexts(found: readonly string[], expected: readonly string[]): boolean {
  return JSON.stringify([...found].sort()) === JSON.stringify([...expected].sort());
}

/** Page after page by cursor, oldest first. */
async function retrievePages(
  agent: RemoteAgent,
  turns: readonly Turn[],
  transcript: Transcript,
): Promise<void> {
  const times: number[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const request = { tier: "episodic", order: "oldest", limit: PAGE_SIZE, cursor } as const;
    const page = await agent.ask("retrieve", request);
    times.push(...page.entries.map(({ occurred_at }) => occurred_at));
    cursor = page.cursor;
    pages++;
  } while (cursor !== undefined);
  const expected = turns.map(({ saidAt }) => saidAt).sort((a, b) => a - b);
  transcript.check(
    "page by page, from the oldest to the newest",
    JSON.stringify(times) === JSON.stringify(expected),
    `${times.length} turns on ${pages} pages`,
  );
}
