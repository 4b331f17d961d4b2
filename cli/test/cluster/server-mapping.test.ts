import { mappingLines } from "@membus/cluster/routing";
import { afterAll, beforeEach, expect, it } from "vitest";
import { NatsFixture } from "../../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { runCli } from "../run-cli.js";

const fixture = new NatsFixture();
beforeEach(requireRecentServer);
afterAll(() => fixture.close());

it("a cluster is not created if one of the named servers lacks the mapping", async () => {
  const mapped = await fixture.launchConfigured(NATS_SERVER, mappingLines("a2e", 4));
  const other = await fixture.launchConfigured(NATS_SERVER, "");
  const { code, stderr } = await runCli(
    ["cluster", "init", "--store", "s3://bucket/memory", "--shards", "4"],
    {
      cwd: await fixture.folder(),
      url: `${mapped.url},${other.url}`,
      env: { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_REGION: "us-east-1" },
    },
  );
  const address = new URL(other.url).host;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`nats-server ${address} does not send requests to shards`),
  ]);
});
