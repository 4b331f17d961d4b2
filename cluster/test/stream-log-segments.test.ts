import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { append, appendEach } from "../../plugins/disk/test/log-fixture.js";
import type { StreamLogOptions } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { LogPlace } from "./log-place.js";

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

const open = (options: Omit<StreamLogOptions, "name">) =>
  new LogPlace(fixture.connection, { replicas: 1, ...options }).take();

describe("a lazy rotation", () => {
  it("keeps a young segment", async () => {
    const { log } = await open({ segmentS: 3_600 });
    await append(log, "one");
    expect(await log.rotate({ lazily: true })).toBe(1);
    expect(log.stats.segmentCount).toBe(1);
    expect(await log.rotate()).toBe(2);
    expect(log.stats.segmentCount).toBe(2);
  });

  it("starts a segment after segmentS", async () => {
    const { log } = await open({ segmentS: 0 });
    await append(log, "one");
    expect(await log.rotate({ lazily: true })).toBe(2);
    expect(log.stats.segmentCount).toBe(2);
  });

  it("keeps a segment while the log has half of segmentCountMax", async () => {
    const { log } = await open({ segmentS: 0, segmentCountMax: 4 });
    await append(log, "one");
    expect(await log.rotate({ lazily: true })).toBe(2);
    await append(log, "two");
    expect(await log.rotate({ lazily: true })).toBe(2);
    expect(log.stats.segmentCount).toBe(2);
  });
});

describe("the number of segments", () => {
  it("is at most segmentCountMax", async () => {
    const { log } = await open({ segmentCountMax: 4 });
    for (const text of ["one", "two", "three"]) {
      await append(log, text);
      await log.rotate();
    }
    await append(log, "four");
    await expect(log.rotate()).rejects.toMatchObject({
      ...{ code: "overloaded", detail: { retry_after_ms: 1_000 } },
    });
    expect(await append(log, "five")).toBe(5);
    expect(await log.trim(2)).toBe(true);
    expect(await log.rotate()).toBe(6);
    expect(log.stats.segmentCount).toBe(4);
  });

  it("grows in the background when the newest has segmentBytes, up to half of segmentCountMax", async () => {
    const { log } = await open({ segmentBytes: 4_096, segmentCountMax: 6 });
    const text = "x".repeat(1_000);
    for (const count of [2, 3]) {
      await appendEach(log, [text, text, text, text, text]);
      await expect.poll(() => log.stats.segmentCount).toBe(count);
    }
    await appendEach(log, [text, text, text, text, text, text]);
    expect(log.stats).toMatchObject({ segmentCount: 3, firstSeq: 1, nextSeq: 17 });
  });
});

describe("a segment", () => {
  const written = async () => {
    const place = new LogPlace(fixture.connection, { replicas: 1 });
    const { log } = await place.take();
    await appendEach(log, ["one", "two", "three"]);
    const { streams } = await jetstreamManager(fixture.connection, { checkAPI: false });
    return { place, log, streams, config: (await place.newest()).config };
  };

  /** Opens the log with its losses accepted. */
  const accept = async (place: LogPlace) => {
    const records: number[] = [];
    const recovery = {
      nextSeqMin: 1,
      onRecord: (seq: number) => void records.push(seq),
      keeper: place.keeper,
    };
    const { nextSeq } = await place.open({ ...recovery, acceptLoss: true }, {});
    return [records, nextSeq];
  };

  it("counts as missing if its stream was created again under the same name", async () => {
    const { place, log, streams, config } = await written();
    await streams.delete(config.name);
    await streams.add(config);
    await expect(append(log, "four")).rejects.toMatchObject({ code: "unavailable" });
    await expect(place.take()).rejects.toMatchObject({
      ...{ message: expect.stringContaining(config.name), detail: { reason: "log_incomplete", seq: 1 } },
    });
  });

  it("counts as missing if its stream was purged", async () => {
    const { place, streams, config } = await written();
    await streams.purge(config.name);
    await expect(place.take()).rejects.toMatchObject({ detail: { reason: "log_incomplete" } });
  });

  it("without its first messages opens once the loss is accepted", async () => {
    const { place, log, streams, config } = await written();
    await streams.purge(config.name);
    expect(await append(log, "four")).toBe(4);
    await expect(place.take()).rejects.toMatchObject({
      message: expect.stringContaining(config.name),
      detail: { reason: "log_incomplete", seq: 1, remedy: "--accept-loss" },
    });
    expect(await accept(place)).toEqual([[4], 5]);
  });

  const loss = (problem: string, lost: string) => ({
    message: expect.stringMatching(`damaged: \\S+ \\(.*${problem}\\)\\. Opening it loses ${lost}`),
    detail: { reason: "log_incomplete", remedy: "--accept-loss" },
  });

  it("without a message in the middle opens once the loss is accepted, or is stored elsewhere", async () => {
    const { place, streams, config } = await written();
    // Message 1 is the mark of the segment.
    await streams.deleteMessage(config.name, 3);
    await expect(place.take()).rejects.toMatchObject(loss("message 3 is missing", "1 record \\(2\\)"));
    place.nextSeqMin = 3;
    expect((await place.take()).records).toEqual(["1:one", "3:three"]);
    place.nextSeqMin = 1;
    expect(await accept(place)).toEqual([[1, 3], 4]);
    expect((await place.take()).records).toEqual(["1:one", "3:three"]);
    // A loss that was not accepted.
    await streams.deleteMessage(config.name, 2);
    await expect(place.take()).rejects.toMatchObject(loss("message 2 is missing", "2 records \\(1 to 2\\)"));
  });

  it("without its last message opens once the loss is accepted", async () => {
    const { place, streams, config } = await written();
    await streams.deleteMessage(config.name, 4);
    await expect(place.take()).rejects.toMatchObject(loss("message 4 is missing", "an unknown number"));
    expect(await accept(place)).toEqual([[1, 2], expect.any(Number)]);
    expect((await place.take()).records).toEqual(["1:one", "2:two"]);
  });

  it("with a message that is not of a log opens once the loss is accepted", async () => {
    const { place, log, config } = await written();
    await jetstream(fixture.connection).publish(config.subjects[0]!, "foreign");
    await expect(append(log, "four")).rejects.toMatchObject({ code: "unavailable" });
    await expect(place.take()).rejects.toMatchObject(loss("it is not of a log", "an unknown number"));
    const [records, nextSeq] = await accept(place);
    expect(records).toEqual([1, 2, 3]);
    expect(nextSeq).toBeGreaterThan(4);
    expect((await place.take()).log.nextSeq).toBe(nextSeq);
  });
});
