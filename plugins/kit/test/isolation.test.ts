import { describe, expect, it } from "vitest";
import { TestKit } from "./kit-fixture.js";
import { beBusy, observed } from "./neighbours.js";

describe("what one agent gets of a durable tier", () => {
  for (const tier of ["episodic", "semantic"] as const) {
    it(`does not change by anything that others store, search or forget, ${tier}`, async () => {
      const options = { residentBytesMax: 1024 * 1024 };
      const quiet = await TestKit.open({ tier, options });
      const alone = await observed(Object.assign(quiet, { tier, others: async () => undefined }));
      expect(alone).toHaveLength(11);
      const busy = await TestKit.open({ tier, options });
      const others = async (turn: number): Promise<void> => {
        await beBusy(busy, tier, turn);
        if (turn % 3 === 0) await busy.plugin.maintain();
        if (turn % 4 === 0) await busy.crash();
      };
      expect(await observed(Object.assign(busy, { tier, others }))).toEqual(alone);
    });
  }
});
