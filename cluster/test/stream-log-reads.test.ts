import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { append } from "../../plugins/disk/test/log-fixture.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { FaultyLink } from "./faulty-link.js";
import { LogPlace } from "./log-place.js";

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

const SEQS = Array.from({ length: 100 }, (_, index) => index + 1);

/** A log with a hundred records in a few messages, over a link that can lose answers. */
async function openLog() {
  const link = await FaultyLink.open(fixture.url);
  onTestFinished(() => link.close());
  const connection = await fixture.connect(link.url);
  const place = new LogPlace(fixture.connection, { replicas: 1 });
  const { log } = await place.take(connection, { requestTimeoutMs: 200 });
  await Promise.all(SEQS.map((seq) => append(log, `n${seq}`)));
  // Without the mark at the beginning of the stream.
  const messageCount = (await place.newest()).state.messages - 1;
  return { log, link, connection, messageCount };
}

describe("concurrent reads", () => {
  it("of records in one message share a request", async () => {
    const { log, connection, messageCount } = await openLog();
    expect(messageCount).toBeLessThan(10);
    const before = connection.stats().outMsgs;
    const read = await Promise.all(SEQS.map((seq) => log.read(seq)));
    expect(read.map(String)).toEqual(SEQS.map((seq) => `n${seq}`));
    expect(connection.stats().outMsgs - before).toBe(messageCount);
  });

  it("get separate copies of a record", async () => {
    const { log } = await openLog();
    const [first, second] = await Promise.all([log.read(7), log.read(7)]);
    first!.fill(0);
    expect(String(second)).toBe("n7");
  });

  it("fail together without an answer, and are answered later", async () => {
    const { log, link } = await openLog();
    link.loseAnswers();
    const failed = await Promise.allSettled([log.read(1), log.read(1)]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    link.repair();
    await expect.poll(() => log.read(1).then(String, () => undefined)).toBe("n1");
  });
});
