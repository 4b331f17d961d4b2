import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { runUntilKilled } from "../../disk/test/killed-child.js";
import { calls } from "../../kit/test/kit-calls.js";
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

const CHILD = new URL("reindex-child.ts", import.meta.url);
/** File changes after the opening to kill at. */
const FILE_CHANGES = [1, 4, 12, 30];
const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;

afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
  await fixture.end();
});

/** Kills a process at a file change after it opened a directory. Returns the answers of its namespaces. */
async function killAt(
  directory: string,
  generation: Generation,
  fileChange: number,
  task = "",
): Promise<string[][]> {
  const lines = await runUntilKilled(CHILD, [directory, generation, task], { after: "open", fileChange });
  return lines.filter((line) => line.endsWith("]")).map((line) => JSON.parse(line) as string[]);
}

/** Returns the answers of a tier that has always been in this generation. `mode` applies to its queries. */
async function referenceOf(generation: Generation, mode?: "text"): Promise<string[]> {
  const reference = await openGeneration(await fixture.directory(), generation);
  await fill(reference);
  const answer = await rankings(reference, mode);
  await reference.close?.();
  return answer;
}

/** Returns the same answer as a tier gives it while reindexing. */
function whileReindexing(answer: string): string {
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

/** Returns whether no work is left to interrupt. */
async function isDone(directory: string): Promise<boolean> {
  const { generation, done } = JSON.parse(await readFile(join(directory, "generation.json"), "utf8")) as {
    generation: number;
    done: boolean;
  };
  return generation === 2 && done;
}

/**
 * Checks that every query of a namespace is answered by words, with `degraded`, until it is answered by the
 * present vectors, and then stays so. The namespace may change between two queries.
 */
function expectWordsThenVectors(answers: readonly string[][], words: string[], present: string[]): void {
  for (const at of words.keys()) {
    const states = answers.map((answer) => [words[at]!, present[at]!].indexOf(answer[at]!));
    expect(states).not.toContain(-1);
    expect(states).toEqual([...states].sort());
  }
}

async function expectComplete(directory: string, generation: Generation, present: string[]): Promise<void> {
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

describe("a process killed while changing", () => {
  it("its embedder continues, answers by words until everything is embedded again, and loses nothing", async () => {
    const words = (await referenceOf("embedder", "text")).map(whileReindexing);
    const present = await referenceOf("embedder");
    const filled = await filledDirectory("first");
    let answers: string[][] = [];
    let directory = filled;
    for (const [round, fileChange] of FILE_CHANGES.entries()) {
      if (round === 0 || (await isDone(directory))) {
        directory = await copyOf(filled);
        answers = [];
      }
      answers.push(...(await killAt(directory, "embedder", fileChange)));
      expectWordsThenVectors(answers, words, present);
    }
    await expectComplete(directory, "embedder", present);
  });

  it("its analyzer continues, finds the same entries all the time, and loses nothing", async () => {
    const present = await referenceOf("analyzer");
    expect(present).toEqual(await referenceOf("embedder"));
    const filled = await filledDirectory("embedder");
    let directory = filled;
    for (const [round, fileChange] of FILE_CHANGES.entries()) {
      if (round === 0 || (await isDone(directory))) directory = await copyOf(filled);
      const answers = await killAt(directory, "analyzer", fileChange);
      for (const answer of answers) expect(answer).toEqual(present);
    }
    await expectComplete(directory, "analyzer", present);
  });

  it("both, with its log unflushed, flushes the log's rows of the previous embedder", async () => {
    const present = await referenceOf("analyzer");
    const directory = await fixture.directory();
    await killAt(directory, "first", 1, "fill");
    for (const fileChange of FILE_CHANGES) await killAt(directory, "analyzer", fileChange);
    await expectComplete(directory, "analyzer", present);
  });
});
