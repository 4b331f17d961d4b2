import { asBasic, startHost } from "@membus/mutants";
import { it } from "vitest";
import { createHostWorld, runToReport } from "../src/index.js";
import { expectConformant } from "./outcome-counts.js";

/** Time limit for a busy machine. */
const RUN = { seed: 1, rerun: (id: string) => id, checkTimeoutMs: 120_000 };

it("a full host keeps the profile basic if it refuses all features outside of it", async () => {
  const host = await startHost({ bus: asBasic });
  try {
    const report = await runToReport(await createHostWorld(host.implementation), RUN);
    expectConformant(report, { pass: 168, "not-applicable": 508 });
  } finally {
    await host.stop();
  }
});
