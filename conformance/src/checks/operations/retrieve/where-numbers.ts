import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { inBatches } from "../../../fixtures/in-batches.js";

/** Numbers that single precision, rounding or a tolerance makes equal, in ascending order. */
const CLOSE_NUMBERS = [
  ...[-(2 ** 53 - 1), -1.000_000_000_000_000_2, -1, 0, 5e-324, 0.3, 0.300_000_000_000_000_04, 1],
  ...[1.000_000_000_000_000_2, 16_777_216, 16_777_217, 1_700_000_000.000_001, 2 ** 53 - 2, 2 ** 53 - 1, 1e21],
];

/** Numbers that differ little. */
export const whereNumberChecks: readonly Check[] = [
  memoryCheck({
    id: "where/close-numbers-are-apart",
    clauses: ["CRIT-10", "CRIT-12", "CRIT-16"],
    async run({ caller, entry, expect }) {
      await caller.store(
        CLOSE_NUMBERS.map((value, id) => entry({ key: { id, value }, metadata: { value } })),
      );
      const idsFrom = (from: number, to = CLOSE_NUMBERS.length) =>
        CLOSE_NUMBERS.map((_, id) => id).slice(from, to);
      const requests = CLOSE_NUMBERS.flatMap((value, at) =>
        (["metadata.value", "key.value"] as const).flatMap((field) => [
          { field, op: "eq" as const, value, ids: [at] },
          { field, op: "gt" as const, value, ids: idsFrom(at + 1) },
          { field, op: "gte" as const, value, ids: idsFrom(at) },
          { field, op: "lt" as const, value, ids: idsFrom(0, at) },
          { field, op: "lte" as const, value, ids: idsFrom(0, at + 1) },
        ]),
      );
      await inBatches(requests, async ({ field, op, value, ids }) => {
        const found = foundIds(await caller.retrieve({ where: { field, op, value }, limit: 50 }));
        const what = `ids of the entries with \`${op}\` ${value} on ${field}, of ${CLOSE_NUMBERS.length} close numbers in ascending order`;
        expect.sameMembers(found, ids, what);
      });
    },
  }),
];
