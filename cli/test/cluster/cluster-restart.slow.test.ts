import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mappingLines } from "@membus/cluster/routing";
import { CHECKS } from "@membus/conformance";
import { expect, it, onTestFinished } from "vitest";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { ClusterStage } from "./cluster-stage.js";

const STORE = "s3://bucket/memory";
/** Checks that restart the host. Without the discovery checks, which wait for minutes. */
const RESTART_CHECKS = CHECKS.filter(
  ({ area, provisions }) => area !== "discovery" && provisions?.includes("restart"),
).map(({ id }) => id);

/** Kills all hosts and starts them again. */
async function restartAll(stage: ClusterStage): Promise<void> {
  const { names } = stage;
  await stage.endAll("SIGKILL");
  await Promise.all(names.map((host) => stage.start(host)));
}

/** Returns a shell command that restarts all hosts. */
async function restartCommand(stage: ClusterStage): Promise<string> {
  const server = createServer((_, response) => {
    const answer = (status: number) => response.writeHead(status).end();
    void restartAll(stage).then(
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
it("three hosts pass the checks of the suite that kill and restart all of them", async (context) => {
  requireRecentServer(context);
  const stage = await ClusterStage.open({ config: mappingLines("a2e", 4) });
  onTestFinished(() => stage.close());
  await stage.ok("cluster", "init", "--store", STORE, "--shards", "4", "--lease-ms", "5000");
  await Promise.all(["a", "b", "c"].map((host) => stage.start(host)));
  const tenants = ["--tenants", "tenant-0,tenant-1", "--seed", "1"];
  const restart = ["--restart-command", await restartCommand(stage)];
  const only = ["--only", RESTART_CHECKS.join(",")];
  const { stdout } = await stage.cli("conformance", "host", ...only, ...tenants, ...restart);
  const red = stdout.match(/^(FAIL|UNTESTABLE|SUITE ERROR) [\s\S]*/m)?.[0];
  expect(red, red).toBeUndefined();
  expect(stdout).toContain("none is red");
});
