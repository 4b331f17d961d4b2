import { type Check, memoryCheck } from "../../catalogue/check.js";
import { findCounterexample } from "../../model/find-counterexample.js";
import { operations } from "../../model/operation.js";
import { plans, runConcurrently } from "../../model/run-concurrently.js";
import { runSequence } from "../../model/run-sequence.js";

const SEQUENCES = 25;
const CONCURRENT_PLANS = 25;

/**
 * Generated operations, compared with a plain map, to find untested combinations. A failure is reduced to the
 * fewest requests.
 */
export const modelChecks: readonly Check[] = [
  memoryCheck({
    id: "model/sequences-agree-with-a-map",
    clauses: ["CRIT-1", "FORGET-1", "RET-3", "RET-5", "STORE-8", "UPD-2"],
    features: ["conditional"],
    async run(t) {
      await findCounterexample(t, operations, SEQUENCES, (agent, sequence) =>
        runSequence(t, agent, sequence),
      );
    },
  }),
  memoryCheck({
    id: "model/concurrent-requests-have-an-order",
    clauses: ["STORE-13", "UPD-7", "ENTRY-13", "KEY-5"],
    features: ["conditional"],
    async run(t) {
      await findCounterexample(t, plans, CONCURRENT_PLANS, (agent, plan) => runConcurrently(t, agent, plan));
    },
  }),
];
