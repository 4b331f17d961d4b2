import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";

/** Chance of which the seed is printed; MEMBUS_SEED sets it. */
export function seededChance(): Chance {
  const seed = Number(process.env.MEMBUS_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}`);
  return new Chance(seed);
}
