import { FEATURES, type Feature } from "@membus/protocol/plugin";
import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import { refusalCodes } from "../../fixtures/fate-of.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";

const NAMES = Object.keys(FEATURES) as Feature[];
const NO_FEATURE = "reads_the_future";

/** `requires` compared with the features in the tier's manifest (clause ENV-12). */
export const featureRequiresChecks: readonly Check[] = [
  hostTierCheck({
    id: "features/declared-may-be-required",
    clauses: ["ENV-12", "PLUG-3"],
    async run({ caller, entry, expect, features, tier }) {
      for (const feature of NAMES.filter((name) => features[name])) {
        const what = `that requires ${feature}, which the manifest of the tier ${tier} declares`;
        const requires = [feature];
        const stored = await refusalCodes(caller.store(entry({ tags: [feature] }), { requires }));
        expect.equal(stored, [], `codes of a store ${what}`);
        const reading = caller.retrieve({ tags: [feature], requires });
        const read = await reading.then(
          ({ total }) => total,
          (error: Error) => String(error),
        );
        expect.equal(read, 1, `total of a retrieve ${what}, after a store of 1 entry`);
        const forgotten = await refusalCodes(caller.forget({ tags: [feature], requires }));
        expect.equal(forgotten, [], `codes of a forget ${what}`);
      }
      const { stored } = await caller.store(entry(), { requires: [] });
      expect.equal(stored.length, 1, "keys stored by a store that requires nothing");
    },
  }),
  hostCheck({
    id: "queued/host-refuses-when-undeclared",
    clauses: ["PLUG-4"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const [unsupporting, offering] = [new ScriptedPlugin({}), new ScriptedPlugin({ queued: true })];
      const { caller, entry } = await startHost({ plugins: { working: unsupporting, episodic: offering } });
      const offered = await caller.store(entry({ tier: "episodic" }), { ack: "queued" });
      expect.equal(offered.stored.length, 1, 'keys stored with ack "queued" in a tier that declares queued');
      const codes = await refusalCodes(caller.store(entry(), { ack: "queued" }));
      expect.equal(
        codes,
        ["unsupported"],
        'codes of a store with ack "queued" in a tier that does not declare queued',
      );
      expect.equal(
        unsupporting.stores.length,
        0,
        "calls of `onStore` of the tier that does not declare queued",
      );
    },
  }),
  hostTierCheck({
    id: "features/undeclared-is-refused-when-required",
    clauses: ["ENV-12", "PLUG-4"],
    async run({ caller, entry, expect, features, tier }) {
      const one = entry();
      await caller.store(one);
      const undeclared = NAMES.filter((name) => !features[name]);
      for (const feature of [...undeclared, NO_FEATURE]) {
        const what = `that requires ${feature}, which the manifest of the tier ${tier} does not declare`;
        const requires = [feature];
        const stored = await refusalCodes(caller.store(entry(), { requires }));
        expect.equal(stored, ["unsupported"], `codes of a store ${what}`);
        await expect.refused(caller.retrieve({ requires }), "unsupported", `a retrieve ${what}`);
        const forgotten = await refusalCodes(caller.forget({ keys: [one.key], requires }));
        expect.equal(forgotten, ["unsupported"], `codes of a forget ${what}`);
      }
      const { entries } = await caller.retrieve();
      const keys = entries.map(({ key }) => key);
      expect.equal(keys, [one.key], "keys after stores and forgets that required undeclared features");
    },
  }),
];
