import { type Check, hostCheck } from "../../catalogue/check.js";
import { expectFirstProblem, expectFormFirst } from "../../fixtures/problems-in-order.js";

/** Order in which a host checks a request and an entry. */
export const errorsOrderChecks: readonly Check[] = [
  hostCheck({
    id: "errors/first-problem-is-answered",
    clauses: ["ERR-16"],
    async run(t) {
      await expectFirstProblem(t);
      // A condition that does not hold, or a feature that is not declared.
      await expectFormFirst(t, { if_revision: 5 });
    },
  }),
];
