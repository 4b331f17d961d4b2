import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { append } from "../../plugins/disk/test/log-fixture.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { LogPlace } from "./log-place.js";

/** The account may store one megabyte. The user `guest` may not create streams. */
const CONFIG = `
no_auth_user: host
accounts { A {
  jetstream: { max_file: 1000000, max_mem: 1000000 }
  users: [
    { user: host, password: host }
    { user: guest, password: guest, permissions: { publish: { deny: "$JS.API.STREAM.CREATE.>" } } }
  ]
} }
`;
/** Ten of them exceed the account. */
const TEXT = "x".repeat(100_000);
const FULL = { code: "memory_full", detail: { limit: "disk" } };

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open(CONFIG);
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

const newPlace = () => new LogPlace(fixture.connection, { replicas: 1 });

it("a full account is memory_full, and the log continues in a new segment when old ones are trimmed", async () => {
  const place = newPlace();
  const { log, hold } = await place.take();
  for (let seq = 1; seq < 10; seq++) expect(await append(log, TEXT)).toBe(seq);
  const rollbacks: number[] = [];
  log.onRollback((firstLostSeq) => rollbacks.push(firstLostSeq));
  await expect(append(log, TEXT)).rejects.toMatchObject(FULL);
  expect(rollbacks).toEqual([10]);
  expect(log.stats).toMatchObject({ nextSeq: 10, failed: false, queuedCount: 0 });
  await expect.poll(() => log.stats.segmentCount).toBe(2);
  expect(await append(log, "small")).toBe(10);
  place.nextSeqMin = 10;
  expect(await log.trim(10)).toBe(true);
  expect(await append(log, TEXT)).toBe(11);
  expect(hold.lostBecause).toEqual([]);
  expect((await place.take()).records).toEqual(["10:small", `11:${TEXT}`]);
});

it("a full stream is memory_full, and the records before it remain", async () => {
  const place = newPlace();
  const { log } = await place.take();
  await append(log, "one");
  const { config } = await place.newest();
  const { streams } = await jetstreamManager(fixture.connection, { checkAPI: false });
  await streams.update(config.name, { max_bytes: 10_000 });
  await expect(append(log, TEXT)).rejects.toMatchObject(FULL);
  await expect.poll(() => log.stats.segmentCount).toBe(2);
  expect(await append(log, TEXT)).toBe(2);
  expect((await place.take()).records).toEqual(["1:one", `2:${TEXT}`]);
});

it("appends go on while no stream can be created", async () => {
  const connection = await connect({ servers: fixture.url, user: "guest", pass: "guest" });
  fixture.onClose(() => connection.close());
  const place = newPlace();
  const host = await place.take();
  await append(host.log, "one");
  const { log } = await place.take(connection, { segmentBytes: 4096 });
  for (let seq = 2; seq <= 20; seq++) expect(await append(log, "x".repeat(1000))).toBe(seq);
  await expect(log.rotate()).rejects.toMatchObject({ code: "unavailable" });
  expect(log.stats.segmentCount).toBe(1);
  expect(await append(log, "last")).toBe(21);
});
