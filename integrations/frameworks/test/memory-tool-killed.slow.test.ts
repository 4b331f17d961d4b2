import { randomInt } from "node:crypto";
import { delay, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { memoryToolHandlers } from "../src/anthropic/index.js";

const KILLS = 12;
/** In parts from the beginning: an edit of it writes several entries. */
const LONG = `${"many words to keep in parts\n".repeat(10_000)}end`;

let stage: ChaosStage;
beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
});
afterAll(() => stage.close());

it("edits go on while the host is killed again and again, and each that was answered is there once", async () => {
  const memory = await stage.client({ agent: "alice", retryTimeoutMs: 120_000 });
  const tool = memoryToolHandlers(memory, { attemptsMax: 1_000 });
  await tool.create({ path: "/memories/short", file_text: "end" });
  await tool.create({ path: "/memories/long", file_text: LONG });
  let isKilling = true;
  const edit = async (path: string) => {
    let n = 0;
    for (; isKilling; n++) await tool.str_replace({ path, old_str: "end", new_str: `edit ${n}\nend` });
    return n;
  };
  const editing = Promise.all([edit("/memories/short"), edit("/memories/long")]);
  for (let kill = 0; kill < KILLS; kill++) {
    await delay(systemClock, randomInt(50, 400));
    await stage.killHost();
    await stage.startHost();
  }
  isKilling = false;
  const [short, long] = await editing;
  const editsIn = (text: string) => text.match(/edit \d+/g);
  const all = (count: number) => Array.from({ length: count }, (_, n) => `edit ${n}`);
  expect(editsIn(await tool.view({ path: "/memories/short" }))).toEqual(all(short));
  expect(editsIn(await tool.view({ path: "/memories/long" }))).toEqual(all(long));
  // The long file has its own parts and no others.
  const parts = { field: "metadata.kind", op: "eq", value: "part" } as const;
  expect((await memory.retrieve({ namespace: "memories", where: parts, limit: 0 })).total).toBe(2);
});
