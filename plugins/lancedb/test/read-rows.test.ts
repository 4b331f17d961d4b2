import { scopeId } from "@membus/protocol";
import { afterEach, expect, it } from "vitest";
import { FOLDER_TURNS } from "../src/store/turns.js";
import { episodic, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const scope = episodic("acme");

it.each([
  ["no row", 0, 1],
  ["rows of one append", 10, 1],
  ["rows of several appends", 30, 3],
  ["more rows than a batch", 9_000, 2],
])("%s: the number of rows is known before the first one", async (_, count, appends) => {
  const storage = await fixture.open(await fixture.directory());
  await storage.append(scoped(episodic("acme", "bob"), makeRow(count)));
  for (let append = 0; append < appends; append++) {
    const ids = Array.from({ length: count / appends }, (_, n) => (append * count) / appends + n);
    await storage.append(scoped(scope, ...ids.map((id) => makeRow(id))));
  }
  const seen: number[] = [];
  await storage.load(scopeId(scope), {
    reserve: (reserved) => void seen.push(reserved),
    take: ({ count: taken }) => void seen.push(taken),
  });
  const [reserved, ...taken] = seen;
  expect(reserved).toBe(count);
  expect(taken.reduce((sum, one) => sum + one, 0)).toBe(count);
});

it("at most eight scopes are read at a time", async () => {
  let running = 0;
  let most = 0;
  const read = async () => {
    running++;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running--;
  };
  await Promise.all(Array.from({ length: 40 }, () => FOLDER_TURNS.rows(read)));
  expect(most).toBe(8);
});
