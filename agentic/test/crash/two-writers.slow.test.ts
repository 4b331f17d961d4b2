import { delay, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import { openConversation } from "../../src/index.js";
import { Writer } from "./writer.js";

const MESSAGES = 1_000;
const NAMES = ["one", "two"];
const chance = new Chance(1);

let stage: ChaosStage;
let writers: Writer[];

beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
  writers = NAMES.map((name) => new Writer(name, MESSAGES, stage.url, stage.directory));
});

afterAll(async () => {
  await Promise.all(writers.map((writer) => writer.kill()));
  await stage.close();
});

const acknowledged = () => writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
const areDone = () => writers.every((writer) => writer.isDone);

/** Resolves after this many more acknowledged messages, or all. */
async function progress(messages: number): Promise<void> {
  const goal = acknowledged() + messages;
  while (acknowledged() < goal && !areDone()) {
    await delay(systemClock, 5);
    for (const writer of writers) writer.check();
  }
}

/** Kills and restarts the host or a writer. */
async function killOne(): Promise<string> {
  const victim = [...writers.filter((writer) => !writer.isDone), undefined];
  const writer = chance.one(victim);
  if (writer === undefined) {
    await stage.killHost();
    await stage.startHost();
    return "host";
  }
  await writer.kill();
  writer.start();
  return "writer";
}

it("two processes that add to one conversation and are killed repeatedly lose nothing and agree on the order", async () => {
  for (const writer of writers) writer.start();
  const killed: string[] = [];
  while (!areDone()) {
    await progress(chance.int(150, 20));
    if (!areDone()) killed.push(await killOne());
  }
  expect(killed.length).toBeGreaterThanOrEqual(10);

  const memory = await stage.client({ agent: "alice" });
  const conversation = await openConversation(memory, { id: "shared" });
  const orders = await Promise.all(writers.map((writer) => writer.order()));
  const messages = await conversation.get();
  const order = messages.map(({ id }) => id);
  expect(orders).toEqual([order, order]);

  expect(await conversation.size()).toBe(2_000);
  expect(new Set(order).size).toBe(2_000);
  for (const name of NAMES) {
    const own = messages.filter(({ id }) => id.startsWith(name));
    expect(own.map(({ message }) => message.content)).toEqual(
      Array.from({ length: MESSAGES }, (_, n) => `${name} says ${n}`),
    );
  }
  const seqs = messages.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
});
