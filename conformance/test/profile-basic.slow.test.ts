import { asBasic, startHost } from "@membus/mutants";
import { it } from "vitest";
import { createHostWorld, runToReport } from "../src/index.js";
import { expectConformant } from "./outcome-counts.js";

/** Long enough for a machine that does other things too. */
const RUN = { seed: 1, rerun: (id: string) => id, checkTimeoutMs: 120_000 };

it("a host that has it all keeps the profile basic, once it refuses what is not of it", async () => {
  const host = await startHost({ bus: asBasic });
  try {
    const report = await runToReport(await createHostWorld(host.implementation), RUN);
    expectConformant(report, { pass: 160, "not-applicable": 461 });
  } finally {
    await host.stop();
  }
});
