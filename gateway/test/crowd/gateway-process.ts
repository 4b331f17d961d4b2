import { connectNatsBus } from "@membus/bus";
import { silentLogger, systemClock } from "@membus/protocol";
import { Gateway } from "../../src/index.js";

/**
 * Runs a gateway in a process, so that its resources can be measured. Arguments: NATS URL, directory, options
 * as JSON.
 */
const [servers = "", directory = "", options = "{}"] = process.argv.slice(2);
const bus = await connectNatsBus({ servers }, { logger: silentLogger, clock: systemClock });
const gateway = new Gateway({ bus, sessions: directory }, { port: 0, ...JSON.parse(options) });
const url = await gateway.start();

/** Collects garbage, finalizers included. */
async function collect(): Promise<void> {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc!();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

process.on("message", async (asked) => {
  if (asked === "look") {
    await collect();
    const { heapUsed: heapBytes } = process.memoryUsage();
    process.send!({ requestCount: gateway.modelRequestCount, heapBytes });
  } else {
    await gateway.stop();
    await bus.close();
    process.disconnect();
  }
});
process.send!({ url });
