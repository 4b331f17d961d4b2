import { expect, it } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { turn } from "../../host/test/fake-clock.js";
import type { StorageSpace } from "../src/bucket/index.js";
import { SpaceWatch } from "../src/index.js";
import { TestClock } from "./test-clock.js";

const GIB = 1024 ** 3;
const account = (usedBytes: number, maxBytes = 1_000): StorageSpace => ({
  ...{ usedBytes, maxBytes, owner: "the account" },
});

/** A watch that reads these spaces, and its clock. `read` lets a second pass and reads them. */
function watchOf(...found: (StorageSpace | undefined)[]) {
  const [clock, logger] = [new TestClock(), new RecordingLogger()];
  const state = { found, readCount: 0, isDown: false };
  const read = async () => {
    state.readCount += 1;
    if (state.isDown) throw new Error("no answer");
    return state.found;
  };
  const watch = new SpaceWatch({ clock, logger, replicas: 3, read });
  const isShort = async () => {
    await clock.advance(1_000);
    void watch.shortage;
    await turn();
    return watch.shortage !== undefined;
  };
  return { watch, state, clock, logger, isShort };
}

it.each([
  ["more than a tenth", account(900), false],
  ["less than a tenth", account(901), true],
  ["1 GiB of a large one", account(99 * GIB, 100 * GIB), false],
  ["less than 1 GiB of a large one", account(99 * GIB + 1, 100 * GIB), true],
  ["any part of no limit", undefined, false],
])("a space with %s left", async (_, found, expected) => {
  const { isShort } = watchOf(undefined, found);
  expect(await isShort()).toBe(expected);
});

it("the error of a shortage names the remedy, and its begin and end are logged once", async () => {
  const { watch, state, logger, isShort } = watchOf(account(950));
  for (let round = 1; round <= 2; round++) expect(await isShort()).toBe(true);
  const message = expect.stringMatching(/the account \(950 of 1000 bytes are in use\)\. Raise the limit/);
  expect(watch.shortage).toMatchObject({ code: "memory_full", detail: { limit: "disk" }, message });
  state.found = [account(10)];
  for (let round = 1; round <= 2; round++) expect(await isShort()).toBe(false);
  expect(logger.messages("error")).toEqual([expect.stringContaining("stores are refused: JetStream")]);
  expect(logger.messages("info")).toEqual([expect.stringContaining("stores are accepted")]);
});

it("messages of this host count on all servers until the space was read again", async () => {
  const { watch, isShort } = watchOf(account(800));
  expect(await isShort()).toBe(false);
  watch.wrote(34);
  expect(watch.shortage).toBeDefined();
  expect(await isShort()).toBe(false);
});

it("the space is read once a second, and its last value counts while the servers do not answer", async () => {
  const { watch, state, clock, isShort } = watchOf(account(950));
  expect(await isShort()).toBe(true);
  await clock.advance(999);
  expect([watch.shortage !== undefined, state.readCount]).toEqual([true, 1]);
  state.isDown = true;
  expect(await isShort()).toBe(true);
  expect(state.readCount).toBe(2);
});
