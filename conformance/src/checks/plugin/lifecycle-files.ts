import { systemClock } from "@membus/protocol";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { filesOutside } from "../../plugin-route/files-outside.js";

/** Largest difference between the times of a file system and of the process, in milliseconds. */
const CLOCKS_DIFFER_MS = 2_000;

/** Files of a plugin. */
export const lifecycleFilesChecks: readonly Check[] = [
  pluginCheck({
    id: "lifecycle/files-stay-in-the-directory",
    clauses: ["PLUG-26"],
    async run({ caller, entry, expect, features, maintain, passTime, reopen, services }) {
      // Not derived from the seed: another run with this seed may keep its files beside.
      const secret = `secret${newRequestId().replaceAll("-", "")}`;
      const since = systemClock.now() * 1_000 - CLOCKS_DIFFER_MS;
      const expectNone = async (after: string) => {
        const outside = await filesOutside(services.dataDirectory!, secret, since);
        const what = `files outside of \`services.dataDirectory\` with a stored content, after ${after}`;
        expect.equal(outside, [], what);
      };
      const entries = Array.from({ length: 20 }, (_, at) =>
        entry({ key: { id: `${secret} ${at}` }, content: `${secret} number ${at}`, tags: [secret] }),
      );
      await caller.store(entries);
      await caller.store({ ...entries[0]!, content: `${secret} updated` });
      if (features.full_text) await caller.retrieve({ query: secret, limit: 5 });
      await caller.retrieve({ tags: [secret] });
      await caller.forget({ keys: entries.slice(1, 3).map(({ key }) => key) });
      await passTime(400);
      await maintain();
      await expectNone("stores, retrieves, a forget and maintenance");
      await reopen();
      await expectNone("close and open");
    },
  }),
];
