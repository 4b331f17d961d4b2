import { type MonotonicClock, monotonicClock } from "@membus/protocol";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { append } from "../../plugins/disk/test/log-fixture.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { FaultyLink } from "./faulty-link.js";
import { LogPlace } from "./log-place.js";

/** Limit of a request for messages. Pauses before a repetition are shorter. */
const FETCH_ENDS_WITHIN_MS = 15_000;

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

/** Opens a log over a link that can lose answers. */
async function openBehindLink(options: Parameters<LogPlace["take"]>[1] = {}) {
  const link = await FaultyLink.open(fixture.url);
  onTestFinished(() => link.close());
  const place = new LogPlace(fixture.connection, { replicas: 1 });
  const connection = await fixture.connect(link.url);
  const owner = await place.take(connection, { requestTimeoutMs: 200, ...options });
  return { link, place, ...owner };
}

it("a message that was stored without an answer is not stored again", async () => {
  const { link, place, log, hold } = await openBehindLink();
  await append(log, "one");
  const lastSeq = async () => (await place.newest()).state.last_seq;
  const before = await lastSeq();
  link.loseAnswers();
  const two = append(log, "two");
  await expect.poll(lastSeq).toBe(before + 1);
  const three = append(log, "three");
  link.repair();
  expect(await Promise.all([two, three])).toEqual([2, 3]);
  expect(await lastSeq()).toBe(before + 2);
  expect(hold.lostBecause).toEqual([]);
  expect((await place.take()).records).toEqual(["1:one", "2:two", "3:three"]);
});

it("a stream that was created without an answer becomes the next segment", async () => {
  const { link, place, log } = await openBehindLink();
  await append(log, "one");
  link.loseAnswers();
  await expect(log.rotate()).rejects.toMatchObject({
    ...{ code: "unavailable", detail: { reason: "jetstream", retry_after_ms: 500 } },
  });
  link.repair();
  await expect.poll(() => log.rotate().catch(() => undefined)).toBe(2);
  expect(await append(log, "two")).toBe(2);
  expect(log.stats.segmentCount).toBe(2);
  expect((await place.partNames()).length).toBe(2);
});

it("opening reads many messages without a failed request", async () => {
  const place = new LogPlace(fixture.connection, { replicas: 1 });
  const { log } = await place.take();
  for (let number = 1; number <= 250; number++) await append(log, "text");
  const after: MonotonicClock["after"] = (delayMs, ...rest) => {
    if (delayMs < FETCH_ENDS_WITHIN_MS) throw new Error("a request failed, and would be repeated");
    return monotonicClock.after(delayMs, ...rest);
  };
  const { records } = await place.take(fixture.connection, { clock: { ...monotonicClock, after } });
  expect(records).toHaveLength(250);
});

it("without the servers all calls are unavailable, and appends once the shard is lost", async () => {
  const { link, place, log, hold } = await openBehindLink();
  await append(log, "one");
  await log.rotate();
  link.loseAnswers();
  const absent = { code: "unavailable", detail: { reason: "jetstream", retry_after_ms: 500 } };
  await expect(log.read(1)).rejects.toMatchObject(absent);
  await expect(log.trim(2)).rejects.toMatchObject(absent);
  const appends = [append(log, "two"), append(log, "three")];
  hold.lose("the lease has ended");
  const moved = { code: "unavailable", detail: { reason: "shard_moved", retry_after_ms: 500 } };
  await Promise.all(appends.map((appended) => expect(appended).rejects.toMatchObject(moved)));
  await expect(append(log, "four")).rejects.toMatchObject(moved);
  expect((await place.take()).records[0]).toBe("1:one");
});

it("a log without answers says so once, and again when it stores records", async () => {
  const recorded = new RecordingLogger();
  const hundredfold = { ...monotonicClock, elapsedMs: () => 100 * monotonicClock.elapsedMs() };
  const { link, log } = await openBehindLink({ clock: hundredfold, logger: () => recorded });
  link.loseAnswers();
  const one = append(log, "one");
  await expect.poll(() => recorded.messages("error")).toHaveLength(1);
  expect(recorded.messages("error")[0]).toMatch(/^stream log-\S+ stores nothing \(.*\): see whether all/);
  expect(log.stats.stalled).toBe(true);
  link.repair();
  expect(await one).toBe(1);
  expect(log.stats.stalled).toBe(false);
  expect(recorded.messages("info")).toEqual([expect.stringMatching(/^stream \S+ stores messages again$/)]);
  expect(recorded.messages("error")).toHaveLength(1);
});
