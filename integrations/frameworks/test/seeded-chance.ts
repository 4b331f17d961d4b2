import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";

/** Returns a random generator and prints its seed: MEMBUS_SEED, by default 1. */
export function seededChance(): Chance {
  const seed = Number(process.env.MEMBUS_SEED ?? 1);
  console.log(`seed ${seed}`);
  return new Chance(seed);
}
