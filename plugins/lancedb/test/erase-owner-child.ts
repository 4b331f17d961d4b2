import { writeSync } from "node:fs";
import { systemClock } from "@membus/protocol";
import { calls } from "../../kit/test/kit-calls.js";
import { openTier } from "./cascade-fixture.js";

/** Stores entries of an agent until it may be erased, then erases the agent or its tenant, and kills itself. */
const [directory = "", agent = "", what = ""] = process.argv.slice(2);
const plugin = await openTier(directory);
const { store } = calls({ plugin, clock: systemClock }, { agent, tenant: "acme" });
for (let round = 0; round < 20; round++) await store([{ key: `${round}`, content: `s3cret of ${agent}` }]);
writeSync(1, "stored\n");
await plugin.eraseOwner(what === "tenant" ? { tenant: "acme" } : { tenant: "acme", agent });
writeSync(1, "erased\n");
process.kill(process.pid, "SIGKILL");
