import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { killRepeatedly } from "../../../cli/test/crash/kill-repeatedly.js";
import { memoryToolHandlers } from "../src/anthropic/index.js";

const KILLS = 6;
/** Stored in parts, so that an edit writes several entries. */
const LONG = `${"many words to keep in parts\n".repeat(10_000)}end`;

let stage: ChaosStage;
beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
});
afterAll(() => stage.close());

it("edits continue while the host is killed repeatedly, and each acknowledged edit is stored once", async () => {
  const memory = await stage.client({ agent: "alice", retryTimeoutMs: 120_000 });
  const tool = memoryToolHandlers(memory, { attemptsMax: 1_000 });
  await tool.create({ path: "/memories/short", file_text: "end" });
  await tool.create({ path: "/memories/long", file_text: LONG });
  let isKilling = true;
  let completed = 0;
  const edit = async (path: string) => {
    let n = 0;
    for (; isKilling; n++) {
      await tool.str_replace({ path, old_str: "end", new_str: `edit ${n}\nend` });
      completed++;
    }
    return n;
  };
  const editing = Promise.all([edit("/memories/short"), edit("/memories/long")]);
  await killRepeatedly(stage, { kills: KILLS, completed: () => completed, calls: editing });
  isKilling = false;
  const [short, long] = await editing;
  const editsIn = (text: string) => text.match(/edit \d+/g);
  const all = (count: number) => Array.from({ length: count }, (_, n) => `edit ${n}`);
  expect(editsIn(await tool.view({ path: "/memories/short" }))).toEqual(all(short));
  expect(editsIn(await tool.view({ path: "/memories/long" }))).toEqual(all(long));
  // Only the current parts of the long file remain.
  const parts = { field: "metadata.kind", op: "eq", value: "part" } as const;
  expect((await memory.retrieve({ namespace: "memories", where: parts, limit: 0 })).total).toBe(2);
});
