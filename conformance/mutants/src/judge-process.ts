// The process that `judgeAll` starts: it is told ids of mutants, and tells verdicts.
import { MUTANTS } from "./all.js";
import { judge } from "./judge.js";

process.on("message", async (id: string) => {
  const mutant = MUTANTS.find((candidate) => candidate.id === id);
  if (mutant === undefined) throw new TypeError(`there is no mutant ${id}`);
  process.send?.(await judge(mutant));
});

process.on("disconnect", () => process.exit());
