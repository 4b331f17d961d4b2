import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RotateOptions } from "@membus/disk";
import { expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

/** Opens a kit with a log that starts no segment for a purge. */
async function openLazyKit(): Promise<TestKit> {
  const kit = await TestKit.open({ options: { eraseWithinS: 100 } });
  const rotate = kit.log.rotate.bind(kit.log);
  kit.log.rotate = async (options?: RotateOptions) => (options?.lazily ? 1 : rotate());
  return kit;
}

async function logBytes(kit: TestKit): Promise<string> {
  const folder = join(kit.directory, "log");
  const files = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")),
  );
  return files.join();
}

it("forces a segment of a lazy log before the deadline of a forget", async () => {
  const kit = await openLazyKit();
  const { store, forget } = calls(kit);
  const erasure = () => kit.plugin.onErasure({ tenant: "acme", agent: "alice", id: "f" });
  await store([{ key: "a", content: "s3cret" }], { id: "s" });
  await forget({ keys: ["a"] }, { id: "f" });
  await kit.plugin.maintain();
  await store([{ key: "b", content: "later" }], { id: "t" });
  expect(await erasure()).toMatchObject({ purge: "scheduled" });
  expect(kit.log.stats.segmentCount).toBe(1);
  kit.clock.advance(49);
  await kit.plugin.maintain();
  expect(await logBytes(kit)).toContain("s3cret");
  kit.clock.advance(2);
  await kit.plugin.maintain();
  expect(await erasure()).toMatchObject({ purge: "done" });
  expect(await logBytes(kit)).not.toContain("s3cret");
  const retry = await store([{ key: "b", content: "later" }], { id: "t" });
  expect(retry.receipts[0]).toMatchObject({ outcome: "created" });
});

it("forces a segment of a lazy log for a forget with purge", async () => {
  const kit = await openLazyKit();
  const { store, forget } = calls(kit);
  await store([{ key: "a", content: "s3cret" }], { id: "s" });
  expect(await logBytes(kit)).toContain("s3cret");
  expect(await forget({ keys: ["a"] }, { id: "f", purge: true })).toMatchObject({ purge: "done" });
  expect(await logBytes(kit)).not.toContain("s3cret");
});

it("reports a forget with purge as unavailable while the log must keep its bytes, and completes it later", async () => {
  const kit = await openLazyKit();
  const { store, forget } = calls(kit);
  const erasure = () => kit.plugin.onErasure({ tenant: "acme", agent: "alice", id: "f" });
  await store([{ key: "a", content: "s3cret" }], { id: "s" });
  const trim = kit.log.trim.bind(kit.log);
  kit.log.trim = async () => false;
  await expect(forget({ keys: ["a"] }, { id: "f", purge: true })).rejects.toMatchObject({
    ...{ code: "unavailable", detail: { reason: "replica_down", retry_after_ms: 1_000 } },
  });
  expect(await erasure()).toMatchObject({ purge: "scheduled" });
  kit.clock.advance(100);
  expect(kit.plugin.stats!()).toMatchObject({ erasures_overdue: 0 });
  kit.clock.advance(1);
  expect(kit.plugin.stats!()).toMatchObject({ erasures_overdue: 1 });
  kit.log.trim = trim;
  await kit.plugin.maintain();
  expect(kit.plugin.stats!()).toMatchObject({ erasures_overdue: 0 });
  expect(await erasure()).toMatchObject({ purge: "done" });
  expect(await logBytes(kit)).not.toContain("s3cret");
});

it("starts no segment for a purge while a server with the log is down", async () => {
  const kit = await openLazyKit();
  const { store, forget } = calls(kit);
  const { log } = kit;
  let isDown = false;
  const stats = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(log), "stats")!.get!.bind(log);
  Object.defineProperty(log, "stats", { get: () => ({ ...stats(), waitsForServer: isDown }) });
  const trim = log.trim.bind(log);
  log.trim = async (before) => (isDown ? false : trim(before));
  await store([{ key: "a", content: "s3cret" }], { id: "s" });
  isDown = true;
  for (const id of ["s1", "s2", "s3"]) {
    const purge = forget({ keys: ["a"] }, { id: "f", purge: true });
    await expect(purge).rejects.toMatchObject({ code: "unavailable", detail: { reason: "replica_down" } });
    await store([{ key: "b", content: "later" }], { id });
  }
  expect(log.stats.segmentCount).toBe(1);
  isDown = false;
  expect(await forget({ keys: ["a"] }, { id: "f", purge: true })).toMatchObject({ purge: "done" });
  expect(await logBytes(kit)).not.toContain("s3cret");
});

it("says that a forget waits for a server that stores the log, until that has no more bytes of it", async () => {
  const kit = await openLazyKit();
  const { store, forget } = calls(kit);
  let waitsForServer = true;
  const { stats } = kit.log;
  const absentServers = ["n2", "n3"];
  Object.defineProperty(kit.log, "stats", { get: () => ({ ...stats, waitsForServer, absentServers }) });
  const erasure = () => kit.plugin.onErasure({ tenant: "acme", agent: "alice", id: "f" });
  await store([{ key: "a", content: "s3cret" }], { id: "s" });
  await forget({ keys: ["a"] }, { id: "f" });
  expect(await erasure()).toEqual({ purge: "scheduled", purge_reason: "replica_down" });
  expect(kit.plugin.stats!()).toMatchObject({
    ...{ log_waits_for_server: 1, log_servers_down: 2, log_servers_down_names: "n2, n3" },
  });
  waitsForServer = false;
  expect(await erasure()).toEqual({ purge: "scheduled", purge_by: kit.clock.now() + 100 });
});
