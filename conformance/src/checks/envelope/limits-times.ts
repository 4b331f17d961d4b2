import type { Message } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import {
  accepted,
  entryAccepted,
  entryRefused,
  refused,
  request,
  storedEntries,
} from "../../fixtures/bare-messages.js";

/** Times and lives out of their range, such as times before 1970. */
const NO_TIMES = [-0.001, -1, -86_400, -2_208_988_800, 100_000_000_001, 1e15, 1e300];
const NO_LIVES = [-0.001, -86_400, 10_000_000_001, 1e300];
const TIMES = [0, 0.001, 1.5, 1e11];

export const limitsOfTimesChecks: readonly Check[] = [
  hostCheck({
    id: "limits/times-in-range",
    clauses: ["LIMIT-7"],
    async run(t) {
      const store = (fields: object): Message =>
        request(t, "store", { entries: [{ ...t.entry(), ...fields }] });
      for (const field of ["since", "until"]) {
        for (const value of TIMES) {
          const what = `a retrieve with ${field} ${value}`;
          await accepted(t, what, "retrieve", request(t, "retrieve", { [field]: value }));
        }
        for (const value of NO_TIMES) {
          const what = `a retrieve with ${field} ${value}`;
          const sent = request(t, "retrieve", { [field]: value });
          const { detail } = await refused(t, what, "retrieve", sent, "schema_violation");
          t.expect.equal(detail.path, field, `detail.path of the error to ${what}`);
        }
      }
      for (const value of TIMES) {
        await entryAccepted(t, `an entry with occurred_at ${value}`, store({ occurred_at: value }));
      }
      for (const [field, values] of [
        ["occurred_at", NO_TIMES],
        ["expires_at", NO_TIMES],
        ["ttl", NO_LIVES],
      ] as const) {
        for (const value of values) {
          const what = `an entry with ${field} ${value}`;
          const { detail } = await entryRefused(t, what, store({ [field]: value }), "schema_violation");
          t.expect.equal(detail.path, field, `detail.path of the error of ${what}`);
        }
      }
      const kept = await storedEntries(t);
      t.expect.equal(kept.length, TIMES.length, "entries after stores with times in and out of range");
    },
  }),
];
