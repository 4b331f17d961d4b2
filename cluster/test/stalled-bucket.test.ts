import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { ClusterBucket } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { TestClock } from "./test-clock.js";

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

it("a bucket that answers no writes names the server to restart, and says when it answers again", async () => {
  const name = await fixture.createBucket();
  const { streams } = await jetstreamManager(fixture.connection);
  const [clock, logger] = [new TestClock(), new RecordingLogger()];
  const options = { name, requestTimeoutMs: 100, report: { clock, logger } };
  const bucket = await ClusterBucket.open(fixture.connection, options);
  await streams.update(`KV_${name}`, { no_ack: true });

  const write = async () => {
    const revision = (await bucket.get("key"))?.revision ?? 0;
    return bucket.write("key", "value", revision);
  };
  await expect
    .poll(async () => {
      await expect(write()).rejects.toMatchObject({ code: "unavailable" });
      await clock.advance(15_000);
      return logger.messages("error");
    })
    .toEqual([expect.stringMatching(/^stream KV_\S+ stores nothing .* Restart the one that leads it: /)]);

  await streams.update(`KV_${name}`, { no_ack: false });
  await expect.poll(write).toBeGreaterThan(0);
  expect(logger.messages("info")).toEqual([`stream KV_${name} stores messages again`]);
});

it("a bucket that was deleted says so", async () => {
  const name = await fixture.createBucket();
  const [clock, logger] = [new TestClock(), new RecordingLogger()];
  const options = { name, requestTimeoutMs: 100, report: { clock, logger } };
  const bucket = await ClusterBucket.open(fixture.connection, options);
  const { streams } = await jetstreamManager(fixture.connection);
  await streams.delete(`KV_${name}`);
  await expect
    .poll(async () => {
      await expect(bucket.write("key", "value", 0)).rejects.toMatchObject({ code: "unavailable" });
      await clock.advance(15_000);
      return logger.messages("error");
    })
    .toEqual([
      expect.stringMatching(/^stream KV_\S+ stores nothing .* it does not exist any more\. Restore/),
    ]);
});
