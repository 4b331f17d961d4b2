import { createStaticEmbedder } from "@membus/embeddings";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import type { TestStoreEntry } from "../../kit/test/kit-requests.js";
import { createLanceDbPlugin } from "../src/index.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;
afterEach(async () => {
  await plugin?.close?.();
  await fixture.end();
});

async function openPlugin(dataDirectory: string): Promise<MemoryPlugin> {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const opened = createLanceDbPlugin();
  const embedder = createStaticEmbedder();
  await opened.open!({ tier: "episodic", clock: systemClock, logger, dataDirectory, embedder, notify() {} });
  plugin = opened;
  return opened;
}

const SUBJECTS = [
  "the garden wall",
  "a train to Rome",
  "the quarterly budget",
  "two kittens",
  "the violin lesson",
];
const EVENTS = ["We bought", "Nobody forgot", "Yesterday she saw", "They will discuss", "He told me about"];
const QUERIES = [
  ...["When did we buy the train ticket?", "budget on 9 May 2023", "household animals", "May 2023"],
  ...["musical instrument", "who has forgotten the wall", "2023-05-11 lesson"],
];
const EIGHTH_OF_MAY = 1_683_554_160;

const ENTRIES: readonly TestStoreEntry[] = EVENTS.flatMap((event, at) =>
  SUBJECTS.map((subject, about) => ({
    key: `k${at}-${about}`,
    content: `${event} ${subject}`,
    context: `${EVENTS[about]} ${SUBJECTS[at]}`,
    group: `g${at}`,
    occurred_at: EIGHTH_OF_MAY + at * 86_400,
    importance: about === 0 ? 0.5 : 1,
  })),
);

async function ranking(of: MemoryPlugin): Promise<unknown[]> {
  const { retrieve } = calls({ plugin: of, clock: systemClock });
  const found: unknown[] = [];
  for (const query of QUERIES) {
    const { entries, total, degraded } = await retrieve({ query });
    expect(degraded).toBeUndefined();
    expect(total).toBeGreaterThan(0);
    found.push(entries.map(({ key, score }) => [key, score]));
  }
  return found;
}

it("order and scores are equal after a flush, a compaction and a restart", async () => {
  const directory = await fixture.directory();
  const first = await openPlugin(directory);
  const { store, forget } = calls({ plugin: first, clock: systemClock });
  await store(ENTRIES.map((entry) => ({ ...entry, content: "An earlier version of the wall" })));
  await store(ENTRIES);
  await forget({ keys: ["k0-0", "k4-4"] });
  const before = await ranking(first);
  await first.maintain!();
  expect(await ranking(first)).toEqual(before);
  await first.close!();
  const second = await openPlugin(directory);
  expect(await ranking(second)).toEqual(before);
  await second.maintain!();
  await second.close!();
  expect(await ranking(await openPlugin(directory))).toEqual(before);
});
