import { mappingLines } from "@membus/cluster/routing";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { connectAlice } from "../../../cluster/test/connect-alice.js";
import { ClusterStage } from "./cluster-stage.js";

const HOUR_S = 3_600;
let stage: ClusterStage;

beforeAll(async () => {
  if (!isRecent) return;
  stage = await ClusterStage.open({ config: mappingLines("a2e", 4), hasLinks: true });
  await stage.ok("cluster", "init", "--store", "s3://bucket/memory", "--shards", "4", "--lease-ms", "3000");
});
afterAll(() => stage?.close());
beforeEach(requireRecentServer);

/** Returns the hosts that own shards. */
async function owners(): Promise<string[]> {
  const { shards } = JSON.parse(await stage.ok("cluster", "status", "--json")) as {
    readonly shards: readonly { readonly host: string | null }[];
  };
  return [...new Set(shards.map(({ host }) => host ?? "none"))].toSorted();
}

it("a host has no way around its links, and takes part again once they are restored", async () => {
  stage.clockShifts.set("b", -HOUR_S * 1000);
  await stage.start("a");
  await stage.start("b");
  await expect.poll(owners).toEqual(["a", "b"]);
  // A client that learns the addresses of servers has a way around its links.
  expect((await stage.nats.connect()).info!.connect_urls ?? []).toEqual([]);
  for (const link of stage.links("a").nats) link.hold("requests", "answers");
  await expect.poll(owners).toEqual(["b"]);

  const alice = await connectAlice(stage.urls, "acme");
  await alice.remember("colour", "blue", { tier: "episodic" });
  const { entries } = await alice.retrieve({ tier: "episodic", keys: ["colour"] });
  // The only owner has a clock that is one hour late.
  expect(
    entries.map(({ timestamps }) => Math.round((Date.now() / 1000 - timestamps.created) / HOUR_S)),
  ).toEqual([1]);

  for (const link of stage.links("a").nats) link.release();
  await expect.poll(owners).toEqual(["a", "b"]);
  expect(await alice.recall("colour")).toBe("blue");
});
