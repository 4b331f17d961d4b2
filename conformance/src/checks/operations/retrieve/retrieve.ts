import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { readingChecks } from "./reading.js";
import { retrieveCriteriaChecks } from "./retrieve-criteria.js";
import { retrieveHostChecks } from "./retrieve-host.js";
import { retrievePageChecks } from "./retrieve-page.js";

export const retrieveChecks: readonly Check[] = [
  memoryCheck({
    id: "retrieve/limit-is-upper-bound",
    clauses: ["RET-1", "RET-3"],
    async run({ caller, entry, expect }) {
      await caller.store(Array.from({ length: 5 }, () => entry()));
      const { entries, total } = await caller.retrieve({ limit: 3 });
      expect.equal(entries.length, 3, "entries on a page with limit 3 of 5 entries");
      expect.equal(total, 5, "total of a retrieve with limit 3 of 5 entries");
    },
  }),
  ...retrieveCriteriaChecks,
  ...readingChecks,
  ...retrievePageChecks,
  ...retrieveHostChecks,
];
