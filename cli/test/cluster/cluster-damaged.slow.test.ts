import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mappingLines, shardOf } from "@membus/cluster/routing";
import { expect, it, onTestFinished } from "vitest";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { connectAlice } from "../../../cluster/test/connect-alice.js";
import { ClusterStage } from "./cluster-stage.js";

const STORE = "s3://bucket/memory";
const EPISODIC = { tier: "episodic" } as const;

it("a tenant with a damaged table is refused alone until its objects are restored, or given up", async (context) => {
  requireRecentServer(context);
  const stage = await ClusterStage.open({ config: mappingLines("a2e", 2) });
  onTestFinished(() => stage.close());
  await stage.ok("cluster", "init", "--store", STORE, "--shards", "2");
  await stage.start("a");
  const [damaged, other] = [await connectAlice(stage.urls, "t0"), await connectAlice(stage.urls, "t1")];
  await damaged.remember("name", "one", EPISODIC);
  await other.remember("name", "two", EPISODIC);
  expect(await stage.end("a", "SIGTERM")).toBe(0);
  const { store } = stage.s3;
  const bodies = store.keys
    .filter((key) => key.includes("/t_t0-"))
    .map((key) => [key, store.get(key)!.body] as const);
  for (const [key] of bodies) store.put(key, Buffer.from("damaged"), {});
  await writeFile(join(stage.folder, "membus.yaml"), "cluster:\n  monitoring: [http://127.0.0.1:1]\n");
  await stage.start("b");
  const recall = () => damaged.recall("name").catch(() => null);
  const first = recall();
  const doctor = async () => (await stage.cli("doctor")).stdout;
  await expect
    .poll(doctor)
    .toMatch(
      /^FAIL {2}shard \d: b serves it in part: tier episodic is damaged: t_t0 is damaged, .* \(1 entry\).*\n.*cluster accept-loss \d`$/m,
    );
  const unknown = /127\.0\.0\.1:1: its monitoring is unknown/;
  expect(await doctor()).toMatch(unknown);
  expect(await readFile(join(stage.folder, "b.log"), "utf8")).toMatch(unknown);
  expect(await other.recall("name")).toBe("two");
  // The client repeats it for two minutes.
  expect(await Promise.race([first, "no answer"])).toBe("no answer");
  for (const [key, body] of bodies) store.put(key, body, {});
  await expect.poll(recall).toBe("one");

  for (const [key] of bodies) store.put(key, Buffer.from("damaged"), {});
  expect(await stage.end("b", "SIGTERM")).toBe(0);
  await stage.start("c");
  const erase = () => stage.cli("admin", "erase", "--cluster-name", "membus", "--tenant", "t0", "--yes");
  const stored = damaged.remember("city", "Oslo", EPISODIC);
  await expect.poll(doctor).toContain("serves it in part");
  expect((await erase()).code).toBe(1);
  expect(await stage.ok("cluster", "accept-loss", String(shardOf("t0", 2)), "--yes")).toContain(
    "without the lost parts",
  );
  await stored;
  expect(await damaged.recall("name")).toBeNull();
  expect(await damaged.recall("city")).toBe("Oslo");
  expect(await other.recall("name")).toBe("two");
  expect(await doctor()).not.toContain("serves it in part");
  expect((await erase()).code).toBe(0);
  expect(await damaged.recall("city")).toBeNull();
});
