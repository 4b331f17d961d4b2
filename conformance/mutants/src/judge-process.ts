// Process that `judgeAll` starts. It receives ids of mutants and returns verdicts.
import { MUTANTS } from "./all.js";
import { judge } from "./judge.js";

process.on("message", async (id: string) => {
  const mutant = MUTANTS.find((candidate) => candidate.id === id);
  if (mutant === undefined) throw new TypeError(`unknown mutant ${id}`);
  process.send?.(await judge(mutant));
});

process.on("disconnect", () => process.exit());
