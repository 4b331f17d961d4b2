import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Verdict } from "./judge.js";
import type { Mutant } from "./mutant.js";

/** More than one judge per processor, because host mutants make checks wait. */
const JUDGES_PER_PROCESSOR = 2;

const JUDGE = fileURLToPath(new URL("./judge-process.ts", import.meta.url));

/** Judges mutants in several processes. Returns the verdicts in the order of the mutants. */
export async function judgeAll(
  mutants: readonly Mutant[],
  onVerdict: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const verdicts = new Map<string, Verdict>();
  const queue = mutants.values();
  const judges = Array.from({ length: JUDGES_PER_PROCESSOR * availableParallelism() }, () => fork(JUDGE));
  try {
    await Promise.all(
      judges.map(async (judge) => {
        for (const { id } of queue) {
          const verdict = await ask(judge, id);
          verdicts.set(id, verdict);
          onVerdict(verdict);
        }
      }),
    );
  } finally {
    for (const judge of judges) judge.disconnect();
  }
  return mutants.map(({ id }) => verdicts.get(id)!);
}

async function ask(judge: ChildProcess, id: string): Promise<Verdict> {
  const asked = new AbortController();
  const { signal } = asked;
  const answer = once(judge, "message", { signal }) as Promise<[Verdict]>;
  const end = once(judge, "exit", { signal }).then(() => {
    throw new Error(`the process that judged ${id} ended`);
  });
  judge.send(id);
  try {
    const [verdict] = await Promise.race([answer, end]);
    return verdict;
  } finally {
    asked.abort();
  }
}
