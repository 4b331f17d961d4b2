import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BucketValue, NatsBucket, NatsBus } from "../src/index.js";
import { NatsFixture, serverTitle } from "./nats-fixture.js";
import { NATS_SERVERS } from "./nats-server.js";

const text = (value: string) => Buffer.from(value);
const read = (found: BucketValue | undefined) => found && Buffer.from(found.value).toString();

describe.each(NATS_SERVERS.map((binary) => [serverTitle(binary), binary]))("bucket on %s", (_, binary) => {
  const fixture = new NatsFixture();
  let bus: NatsBus;
  let bucket: NatsBucket;
  beforeAll(async () => {
    const { url } = await fixture.launch({ binary, storeDir: await fixture.folder() });
    ({ bus } = await fixture.connect({ servers: url }));
    bucket = await bus.openBucket({ name: "values", ttlS: 3_600 });
  });
  afterAll(() => fixture.close());

  it("returns the stored value, with a new revision each time", async () => {
    expect(await bucket.get("a")).toBeUndefined();
    await bucket.put("a", text("one"));
    const one = await bucket.get("a");
    await bucket.put("a", text("two"));
    const two = await bucket.get("a");
    expect([one, two].map((found) => read(found))).toEqual(["one", "two"]);
    expect(two!.revision).toBeGreaterThan(one!.revision);
  });

  it("replaces a value that was not changed or removed concurrently", async () => {
    await bucket.put("b", text("one"));
    const { revision } = (await bucket.get("b"))!;
    expect(await bucket.replace("b", { value: text("two"), revision })).toBe(true);
    expect(await bucket.replace("b", { value: text("three"), revision })).toBe(false);
    const latest = (await bucket.get("b"))!;
    await bucket.remove("b");
    expect(await bucket.replace("b", latest)).toBe(false);
    expect(await bucket.get("b")).toBeUndefined();
  });

  it("counts current values only", async () => {
    const before = await bucket.count();
    await bucket.put("c", text("one"));
    await bucket.put("c", text("two"));
    await bucket.put("d", text("one"));
    expect(await bucket.count()).toBe(before + 2);
    await bucket.remove("c");
    expect(await bucket.count()).toBe(before + 1);
  });

  it("expires values", async () => {
    const brief = await bus.openBucket({ name: "brief", ttlS: 1 });
    await brief.put("a", text("one"));
    await expect.poll(() => brief.get("a")).toBeUndefined();
  });

  it("can be opened only with its original lifetime", async () => {
    await expect(bus.openBucket({ name: "values", ttlS: 60 })).rejects.toThrow(
      "bucket `values` has a lifetime of 3600 s, expected 60 s",
    );
    await expect(bus.openBucket({ name: "a.b", ttlS: 60 })).rejects.toThrow(TypeError);
    const again = await bus.openBucket({ name: "values", ttlS: 3_600 });
    await again.put("e", text("one"));
    expect(read(await bucket.get("e"))).toBe("one");
  });
});

describe("the user of a bucket", () => {
  const fixture = new NatsFixture();
  afterAll(() => fixture.close());
  const allowed = [
    "INFO",
    "STREAM.CREATE.KV_own",
    "STREAM.INFO.KV_own",
    "STREAM.MSG.GET.KV_own",
    "STREAM.PURGE.KV_own",
  ];
  const publish = ["$KV.own.>", ...allowed.map((subject) => `$JS.API.${subject}`)];

  it("needs these permissions, and cannot access another bucket with them", async () => {
    const users = [{ user: "u", password: "p", permissions: { publish, subscribe: "_INBOX.>" } }];
    const jetstream = { store_dir: await fixture.folder() };
    const config = `jetstream: ${JSON.stringify(jetstream)}\nauthorization: ${JSON.stringify({ users })}`;
    const { url } = await fixture.launchConfigured(NATS_SERVERS[0]!, config);
    const { bus } = await fixture.connect({ servers: url, user: "u", pass: "p" });
    const own = await bus.openBucket({ name: "own", ttlS: 60 });
    await own.put("a", text("one"));
    expect(await own.replace("a", (await own.get("a"))!)).toBe(true);
    expect(await own.count()).toBe(1);
    await own.remove("a");
    await expect(bus.openBucket({ name: "other", ttlS: 60 })).rejects.toMatchObject({ code: "unauthorized" });
  });
});

it("is unavailable on a server without JetStream", async () => {
  const fixture = new NatsFixture();
  try {
    const { url } = await fixture.launch({ binary: NATS_SERVERS[0]! });
    const { bus } = await fixture.connect({ servers: url });
    await expect(bus.openBucket({ name: "values", ttlS: 60 })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("JetStream"),
    });
  } finally {
    await fixture.close();
  }
});
