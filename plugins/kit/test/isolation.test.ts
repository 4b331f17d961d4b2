import { describe, expect, it } from "vitest";
import { changedStorage } from "./changed-storage.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";
import { beBusy, observed } from "./neighbours.js";

describe("the results of one agent of a durable tier", () => {
  for (const tier of ["episodic", "semantic"] as const) {
    it(`do not change when others store, search or forget, ${tier}`, async () => {
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

  it("do not wait for a read of other tenants' data, in a subtree either", async () => {
    const scanned: string[] = [];
    const kit = await TestKit.open({
      wrapStorage: (storage) =>
        changedStorage(storage, {
          scopes(tenant) {
            scanned.push(tenant);
            return storage.scopes(tenant);
          },
        }),
    });
    for (let at = 0; at < 20; at++) {
      await calls(kit, { tenant: `tenant-${at}`, namespace: "a/b" }).store([{ key: "k", content: "theirs" }]);
    }
    const alice = calls(kit, { tenant: "acme", namespace: "a/b" });
    await alice.store([{ key: "k", content: "hers" }]);
    await kit.flush();
    await kit.reopen();
    scanned.length = 0;
    for (let turn = 0; turn < 3; turn++) {
      expect((await alice.retrieve({}, { namespace: "a/**" })).total).toBe(1);
      await kit.plugin.maintain();
    }
    expect(new Set(scanned)).toEqual(new Set(["acme"]));
  });
});
