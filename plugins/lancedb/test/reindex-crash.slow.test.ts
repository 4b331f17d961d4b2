import { randomInt } from "node:crypto";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type MemoryPlugin, systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { runUntilKilled } from "./killed-child.js";
import {
  fill,
  type Generation,
  NAMESPACES,
  openGeneration,
  ROWS,
  rankings,
  untilDone,
} from "./reindex-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

/** MEMBUS_CRASH_ROUNDS=30 is a longer look. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 4);
const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;

afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
  await fixture.end();
});

/** Lets a process work on a directory, and kills it so long after it is open. Returns what its namespaces answered. */
async function killAfter(
  directory: string,
  generation: Generation,
  delayMs: number,
  task = "",
): Promise<string[][]> {
  const answers: string[][] = [];
  await runUntilKilled("reindex-child.ts", [directory, generation, task], (line, killAfter) => {
    if (line === "open") killAfter(delayMs);
    else if (line.endsWith("]")) answers.push(JSON.parse(line) as string[]);
  });
  return answers;
}

/** What a tier answers that has been in this generation from the beginning; `mode` is that of its queries. */
async function referenceOf(generation: Generation, mode?: "text"): Promise<string[]> {
  const reference = await openGeneration(await fixture.directory(), generation);
  await fill(reference);
  const answer = await rankings(reference, mode);
  await reference.close?.();
  return answer;
}

/** The same answer, with what a tier says that embeds its entries anew. */
function whileEmbeddedAnew(answer: string): string {
  const [scores] = JSON.parse(answer) as [unknown, null];
  return JSON.stringify([scores, "reindex"]);
}

async function filledDirectory(generation: Generation): Promise<string> {
  const directory = await fixture.directory();
  const filled = await openGeneration(directory, generation);
  await fill(filled);
  await filled.close?.();
  return directory;
}

async function copyOf(filled: string): Promise<string> {
  const directory = await fixture.directory();
  await cp(filled, directory, { recursive: true });
  return directory;
}

/** Whether nothing is left to be killed in. */
async function isDone(directory: string): Promise<boolean> {
  const { generation, done } = JSON.parse(await readFile(join(directory, "generation.json"), "utf8")) as {
    generation: number;
    done: boolean;
  };
  return generation === 2 && done;
}

/**
 * Every query of a namespace is answered by words, which the reply says, until it is answered by the present vectors, and
 * then it stays so. Between two queries, the namespace may change.
 */
function expectWordsThenVectors(answers: readonly string[][], words: string[], present: string[]): void {
  for (const at of words.keys()) {
    const states = answers.map((answer) => [words[at]!, present[at]!].indexOf(answer[at]!));
    expect(states).not.toContain(-1);
    expect(states).toEqual([...states].sort());
  }
}

async function expectWhole(directory: string, generation: Generation, present: string[]): Promise<void> {
  const reindex_done = (await isDone(directory)) ? 0 : NAMESPACES.length * ROWS;
  plugin = await openGeneration(directory, generation);
  await untilDone(plugin);
  expect(await rankings(plugin)).toEqual(present);
  for (const namespace of NAMESPACES) {
    const { retrieve } = calls({ plugin, clock: systemClock }, { namespace });
    const { entries, total } = await retrieve({ include: ["embedding"] });
    expect([total, entries.filter(({ embedding }) => embedding?.length === 5).length]).toEqual([ROWS, ROWS]);
  }
  expect(plugin.stats?.()).toMatchObject({ reindex_state: "done", reindex_done });
}

describe("a process killed while it changes", () => {
  it("its embedder goes on, answers by words until all is embedded anew, and loses nothing", async () => {
    const words = (await referenceOf("embedder", "text")).map(whileEmbeddedAnew);
    const present = await referenceOf("embedder");
    const filled = await filledDirectory("first");
    let answers: string[][] = [];
    let directory = filled;
    for (let round = 0; round < ROUNDS; round++) {
      if (round === 0 || (await isDone(directory))) {
        directory = await copyOf(filled);
        answers = [];
      }
      answers.push(...(await killAfter(directory, "embedder", randomInt(0, 1_200))));
      expectWordsThenVectors(answers, words, present);
    }
    await expectWhole(directory, "embedder", present);
  });

  it("its analyzer goes on, finds the same all the time, and loses nothing", async () => {
    const present = await referenceOf("analyzer");
    expect(present).toEqual(await referenceOf("embedder"));
    const filled = await filledDirectory("embedder");
    let directory = filled;
    for (let round = 0; round < ROUNDS; round++) {
      if (round === 0 || (await isDone(directory))) directory = await copyOf(filled);
      const answers = await killAfter(directory, "analyzer", randomInt(0, 600));
      for (const answer of answers) expect(answer).toEqual(present);
    }
    await expectWhole(directory, "analyzer", present);
  });

  it("both, with its log unflushed, flushes what the log has of the embedder before", async () => {
    const present = await referenceOf("analyzer");
    const directory = await fixture.directory();
    await killAfter(directory, "first", 0, "fill");
    for (let round = 0; round < ROUNDS; round++) await killAfter(directory, "analyzer", randomInt(0, 600));
    await expectWhole(directory, "analyzer", present);
  });
});
