import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KitOptions } from "../src/index.js";
import { TestKit } from "./kit-fixture.js";
import { retrieveRequest, selector } from "./kit-requests.js";
import { ModelRun, type Subject } from "./model-run.js";
import { step } from "./model-steps.js";
import { ScriptedEmbedder } from "./scripted-embedder.js";
import { seeded } from "./seeded.js";

/** Enough empty partitions to unload every other one. */
const CROWD = 150;

async function durableSubject(options: KitOptions): Promise<Subject> {
  const embedder = new ScriptedEmbedder();
  const small = { residentBytesMax: 1024 * 1024, bodyCacheBytes: 64 * 1024, flushCount: 20, flushIdleMs: 5 };
  const kit = await TestKit.open({ embedder, options: { ...small, ...options } });
  return {
    embedder,
    exactAccess: false,
    get plugin() {
      return kit.plugin;
    },
    get clock() {
      return kit.clock;
    },
    flush: () => kit.flush(),
    backFilled: () => kit.backFilled(),
    /** A restart takes some time. */
    async reopen() {
      kit.clock.advance(0.01);
      await kit.reopen();
    },
    async crash(writes) {
      await kit.flushHalfway(writes);
      kit.clock.advance(0.01);
      await kit.crash();
    },
    async evict() {
      await kit.flush();
      for (let at = 0; at < CROWD; at++) {
        await kit.plugin.onRetrieve(selector({ tenant: "crowd", namespace: `n${at}` }), retrieveRequest());
      }
      expect(kit.plugin.stats().partition_bytes).toBeLessThanOrEqual(1024 * 1024);
    },
  };
}

describe("a durable kit plugin compared to a Map", () => {
  const subjects = [
    ["episodic", {}],
    ["semantic", {}],
    ["episodic, without vectors in RAM", { partitionVectorBytesMax: 0 }],
  ] as const;
  for (const [name, options] of subjects) {
    const tier = name === "semantic" ? "semantic" : "episodic";
    it(`has the same entries after any sequence of operations, ${name}`, async () => {
      const steps = fc.array(step, { minLength: 1, maxLength: 30 });
      const property = fc.asyncProperty(steps, async (sequence) => {
        const model = new ModelRun(await durableSubject(options), tier);
        for (const next of sequence) await model.run(next);
        await model.checkAll();
      });
      await seeded(property, 100);
    });
  }
});
