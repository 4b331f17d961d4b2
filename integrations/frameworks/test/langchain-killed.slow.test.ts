import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { delay, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import { MembusChatMessageHistory } from "../src/langchain/index.js";
import { MembusSaver, MembusStore } from "../src/langgraph/index.js";

const STEPS = 100;
const KILLS = 3;
/** Every tenth state is larger than an entry. */
const stateOf = (step: number) => `state ${step} `.repeat(step % 10 === 9 ? 30_000 : 1);
const METADATA = { source: "loop", step: 0, parents: {} } as const;

let stage: ChaosStage;
beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
});
afterAll(() => stage.close());

it("continues after the host is killed, and loses nothing acknowledged", async () => {
  const memory = await stage.client({ agent: "alice", retryTimeoutMs: 120_000 });
  const savers = [new MembusSaver(memory), new MembusSaver(memory, { namespace: "kept/few", retention: 3 })];
  const store = new MembusStore(memory);
  const history = new MembusChatMessageHistory(memory, { sessionId: "t" });
  const ids: string[] = [];
  const work = (async () => {
    for (let step = 0; step < STEPS; step++) {
      ids.push(await takeStep(step, ids.at(-1), savers, store));
      await history.addMessages([new HumanMessage(stateOf(step)), new HumanMessage(`after ${step}`)]);
    }
  })();
  const chance = new Chance(1);
  for (let kill = 1; kill <= KILLS; kill++) {
    const goal = (kill * STEPS) / (KILLS + 1) + chance.int(10);
    while (ids.length < goal) await Promise.race([work, delay(systemClock, 5)]);
    await stage.killHost();
    await stage.startHost();
  }
  await work;

  const other = await stage.client({ agent: "alice" });
  expect(await statesOf(new MembusSaver(other))).toEqual(
    ids.map((id, step) => [id, stateOf(step), step]).reverse(),
  );
  const few = new MembusSaver(other, { namespace: "kept/few", retention: 3 });
  expect((await statesOf(few)).map(([id]) => id)).toEqual(ids.slice(-3).reverse());
  const items = await new MembusStore(other).search(["steps"], { limit: 2 * STEPS });
  expect(items.map(({ key, value }) => [key, value.state])).toEqual(
    ids.map((id, step) => [id, stateOf(step)]),
  );
});

/** Takes one step of a thread and stores its item, both acknowledged. */
async function takeStep(
  step: number,
  parent: string | undefined,
  savers: readonly MembusSaver[],
  store: MembusStore,
): Promise<string> {
  const id = uuid6(step);
  const config = { configurable: { thread_id: "t", ...(parent !== undefined && { checkpoint_id: parent }) } };
  const [channel_values, versions] = [{ state: stateOf(step) }, { state: step + 1 }];
  const checkpoint = { ...emptyCheckpoint(), id, channel_values, channel_versions: versions };
  for (const saver of savers) {
    const stored = await saver.put(config, checkpoint, METADATA, versions);
    await saver.putWrites(stored, [["step", step]], "task");
  }
  await store.put(["steps"], id, { state: stateOf(step) });
  return id;
}

async function statesOf(saver: MembusSaver): Promise<[id: string, state: unknown, written: unknown][]> {
  const states: [string, unknown, unknown][] = [];
  for await (const { checkpoint, pendingWrites } of saver.list({ configurable: { thread_id: "t" } })) {
    states.push([checkpoint.id, checkpoint.channel_values.state, pendingWrites?.[0]?.[2]]);
  }
  return states;
}
