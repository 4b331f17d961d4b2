import { afterAll, beforeAll, beforeEach } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { registerLogSuite } from "../../plugins/disk/test/log-suite/register-log-suite.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { LogPlace } from "./log-place.js";

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

registerLogSuite("streams on one server", async () => new LogPlace(fixture.connection, { replicas: 1 }));
