import { connectNatsBus } from "@membus/bus";
import { silentLogger, systemClock } from "@membus/protocol";
import { Gateway } from "../../src/index.js";

/** A gateway with a process to itself: what it holds is its own. Arguments: NATS URL, directory, options as JSON. */
const [servers = "", directory = "", options = "{}"] = process.argv.slice(2);
const bus = await connectNatsBus({ servers }, { logger: silentLogger, clock: systemClock });
const gateway = new Gateway({ bus, sessions: directory }, { port: 0, ...JSON.parse(options) });
const url = await gateway.start();

/** What is garbage is freed, that of finalizers too. */
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
