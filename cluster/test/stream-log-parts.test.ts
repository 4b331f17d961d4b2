import type { Log } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { append, contents } from "../../plugins/disk/test/log-fixture.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { LogPlace, type Opened } from "./log-place.js";

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open("max_payload: 8192");
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

/** Needs three messages. */
const LARGE = `${"a".repeat(7_168)}${"b".repeat(7_168)}c`;

const newPlace = () => new LogPlace(fixture.connection, { replicas: 1 });

/** Appends a large record, and loses the shard after this number of its parts. */
async function tear({ log, hold }: Opened, partCount: number): Promise<void> {
  let left = partCount;
  hold.mustOwn = () => {
    if (left-- === 0) throw new MemoryError("unavailable", "the shard is lost");
  };
  await expect(append(log, LARGE)).rejects.toMatchObject({ code: "unavailable" });
}

const lastSeq = async (place: LogPlace) => (await place.newest()).state.last_seq;
const sizes = async (log: Log) => (await contents(log)).map((record) => record.length);

describe("a record above max_payload", () => {
  it("is written in parts, among other records", async () => {
    const place = newPlace();
    const { log } = await place.take();
    const texts = ["one", LARGE, "three", LARGE];
    expect(await Promise.all(texts.map((text) => append(log, text)))).toEqual([1, 2, 3, 4]);
    // A mark, two messages with one record, and two records in three parts.
    expect(await lastSeq(place)).toBe(9);
    const records = ["1:one", `2:${LARGE}`, "3:three", `4:${LARGE}`];
    expect(await contents(log)).toEqual(records);
    const next = await place.take();
    expect(next.records).toEqual(records);
    expect(await contents(next.log)).toEqual(records);
  });

  it.each([1, 2])(
    "does not exist after %i of 3 parts, and its number is assigned again",
    async (partCount) => {
      const place = newPlace();
      const first = await place.take();
      await append(first.log, "one");
      await tear(first, partCount);
      expect(await lastSeq(place)).toBe(2 + partCount);
      const second = await place.take();
      expect(second.records).toEqual(["1:one"]);
      expect(await append(second.log, "two")).toBe(2);
      expect(await append(second.log, LARGE)).toBe(3);
      await tear(second, partCount);
      const third = await place.take();
      expect(third.records).toEqual(["1:one", "2:two", `3:${LARGE}`]);
      expect(await append(third.log, LARGE)).toBe(4);
      expect(await sizes(third.log)).toEqual([5, 5, 2 + LARGE.length, 2 + LARGE.length]);
    },
  );
});
