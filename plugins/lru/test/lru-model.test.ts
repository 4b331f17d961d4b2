import fc from "fast-check";
import { describe, it } from "vitest";
import { testServices } from "../../kit/test/kit-fixture.js";
import { ModelRun, type Subject } from "../../kit/test/model-run.js";
import { step } from "../../kit/test/model-steps.js";
import { ScriptedEmbedder } from "../../kit/test/scripted-embedder.js";
import { seeded } from "../../kit/test/seeded.js";
import { TestClock } from "../../kit/test/test-clock.js";
import { createLruPlugin } from "../src/index.js";

/** Opens a tier with sufficient limits. It cannot be reopened, because its contents would be lost. */
async function workingSubject(): Promise<Subject> {
  const clock = new TestClock();
  const embedder = new ScriptedEmbedder();
  const plugin = createLruPlugin();
  const { services } = testServices({ tier: "working", embedder }, clock);
  await plugin.open!(services);
  const nothing = async (): Promise<void> => undefined;
  const lifeCycle = { flush: nothing, reopen: nothing, crash: nothing, evict: nothing, backFilled: nothing };
  return { plugin, clock, embedder, exactAccess: true, ...lifeCycle };
}

describe("the working tier compared with a plain Map", () => {
  it("holds the same after any sequence of operations", async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 40 });
    const property = fc.asyncProperty(steps, async (sequence) => {
      const model = new ModelRun(await workingSubject(), "working");
      for (const next of sequence) await model.run(next);
      await model.checkAll();
    });
    await seeded(property, 200);
  });
});
