import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mappingLines, shardOf } from "@membus/cluster/routing";
import { CHECKS } from "@membus/conformance";
import { expect, it, onTestFinished } from "vitest";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { ClusterStage } from "./cluster-stage.js";

const STORE = "s3://bucket/memory";
const SHARD_COUNT = 4;
const TENANTS = ["tenant-0", "tenant-1"];
/** Checks that restart the host or move tenants. Without the discovery checks, which wait for minutes. */
const CHECKED = CHECKS.filter(
  ({ area, provisions }) =>
    area !== "discovery" && provisions?.some((provision) => provision === "restart" || provision === "move"),
).map(({ id }) => id);

/** Kills all hosts and starts them again. */
async function restartAll(stage: ClusterStage): Promise<void> {
  const { names } = stage;
  await stage.endAll("SIGKILL");
  await Promise.all(names.map((host) => stage.start(host)));
}

/** Moves the shard of each tenant to another host. */
async function moveAll(stage: ClusterStage): Promise<void> {
  for (const tenant of TENANTS) {
    const owner = await stage.ownerOf(tenant);
    const next = stage.names.find((name) => name !== owner)!;
    await stage.ok("cluster", "move", String(shardOf(tenant, SHARD_COUNT)), next);
  }
}

/** Returns a shell command that runs a task of this process. */
async function commandFor(task: () => Promise<void>): Promise<string> {
  const server = createServer((_, response) => {
    const answer = (status: number) => response.writeHead(status).end();
    void task().then(
      () => answer(200),
      () => answer(500),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return `"${process.execPath}" -e "fetch('${url}').then((reply) => process.exit(reply.ok ? 0 : 1))"`;
}

// Takes minutes: after each of its restarts all leases must end.
it("three hosts pass the checks that kill and restart all of them, or move tenants between them", async (context) => {
  requireRecentServer(context);
  const stage = await ClusterStage.open({ config: mappingLines("a2e", SHARD_COUNT) });
  onTestFinished(() => stage.close());
  await stage.ok("cluster", "init", "--store", STORE, "--shards", String(SHARD_COUNT), "--lease-ms", "5000");
  await Promise.all(["a", "b", "c"].map((host) => stage.start(host)));
  const scripts = [
    ...["--restart-command", await commandFor(() => restartAll(stage))],
    ...["--move-command", await commandFor(() => moveAll(stage))],
  ];
  const run = ["--only", CHECKED.join(","), "--tenants", TENANTS.join(","), "--seed", "1"];
  const { stdout } = await stage.cli("conformance", "host", ...run, ...scripts);
  const red = stdout.match(/^(FAIL|UNTESTABLE|SUITE ERROR) [\s\S]*/m)?.[0];
  expect(red, red).toBeUndefined();
  expect(stdout).toContain("none is red");
});
