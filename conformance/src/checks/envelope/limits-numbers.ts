import type { Message } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import {
  accepted,
  entryAccepted,
  entryRefused,
  type Operation,
  refused,
  request,
  storedEntries,
} from "../../fixtures/bare-messages.js";

/** Valid and invalid values of a field. */
interface Range {
  readonly field: string;
  readonly within: readonly number[];
  readonly without: readonly number[];
}

const OF_REQUESTS: readonly (Range & { readonly operation: Operation })[] = [
  { operation: "retrieve", field: "limit", within: [0, 1, 1_000], without: [-1, 1_001, 1.5, 1e15] },
  { operation: "retrieve", field: "min_score", within: [0, 0.5, 1], without: [-0.1, 1.01, 2] },
  { operation: "retrieve", field: "since", within: [0, 1.5, 1e11], without: [-1] },
  { operation: "retrieve", field: "until", within: [0, 1.5, 1e11], without: [-1] },
  { operation: "ping", field: "deadline_ms", within: [100_000, 600_000], without: [0, -5, 600_001, 2.5] },
];

const OF_ENTRIES: readonly Range[] = [
  { field: "score", within: [0, 1], without: [-0.1, 1.01] },
  { field: "importance", within: [0, 0.5, 1], without: [-0.1, 1.01] },
  { field: "occurred_at", within: [0, 1.5, 1e11], without: [-1] },
  { field: "ttl", within: [0], without: [-1, -0.001] },
  { field: "if_revision", within: [], without: [-1, 1.5] },
];

export const limitsOfNumbersChecks: readonly Check[] = [
  hostCheck({
    id: "limits/numbers-of-requests-in-range",
    clauses: ["LIMIT-6"],
    async run(t) {
      for (const { operation, field, within, without } of OF_REQUESTS) {
        const sent = (value: number) => request(t, operation, { [field]: value });
        for (const value of within) {
          await accepted(t, `a ${operation} with ${field} ${value}`, operation, sent(value));
        }
        for (const value of without) {
          const what = `a ${operation} with ${field} ${value}`;
          const { detail } = await refused(t, what, operation, sent(value), "schema_violation");
          t.expect.equal(detail.path, field, `detail.path of the error to ${what}`);
        }
      }
    },
  }),
  hostCheck({
    id: "limits/numbers-of-entries-in-range",
    clauses: ["LIMIT-6"],
    async run(t) {
      let kept = 0;
      for (const { field, within, without } of OF_ENTRIES) {
        const sent = (value: number): Message => {
          return request(t, "store", { entries: [{ ...t.entry(), [field]: value }] });
        };
        for (const value of within) {
          await entryAccepted(t, `an entry with ${field} ${value}`, sent(value));
          kept++;
        }
        for (const value of without) {
          const what = `an entry with ${field} ${value}`;
          const { detail } = await entryRefused(t, what, sent(value), "schema_violation");
          t.expect.equal(detail.path, field, `detail.path of the error of ${what}`);
        }
      }
      t.expect.equal(
        (await storedEntries(t)).length,
        kept,
        "entries after stores with numbers in and out of range",
      );
    },
  }),
];
