import { afterAll, beforeEach, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { NatsFixture } from "../../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { readServerSpace } from "../../src/cluster/server-space.js";

const fixture = new NatsFixture();
beforeEach(requireRecentServer);
afterAll(() => fixture.close());

it("servers tell the limit of their storage, unless they do not answer", async () => {
  const port = await freePort();
  const storeDir = await fixture.folder();
  const lines = [
    `http: "127.0.0.1:${port}"`,
    `jetstream { store_dir: "${storeDir}", max_file_store: 5000000 }`,
  ];
  await fixture.launchConfigured(NATS_SERVER, lines.join("\n"));
  const urls = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`];
  expect(await readServerSpace(urls)).toEqual([
    { usedBytes: 0, maxBytes: 5_000_000, owner: `nats-server 127.0.0.1:${port}` },
    undefined,
  ]);
});
