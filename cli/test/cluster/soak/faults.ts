import type { Chance } from "../../crash/kill-loop/chance.js";
import type { Fault } from "./fault.js";
import { HOST_FAULTS } from "./host-faults.js";
import { NETWORK_FAULTS } from "./network-faults.js";
import { SERVER_FAULTS } from "./server-faults.js";
import { STORE_FAULTS } from "./store-faults.js";

const FAULTS: readonly Fault[] = [...HOST_FAULTS, ...SERVER_FAULTS, ...STORE_FAULTS, ...NETWORK_FAULTS];

/** After `first` all faults in random order, again and again. So a run of N faults has N kinds of them, if there are as many. */
export function* endlessFaults(chance: Chance, first: readonly Fault[]): Generator<Fault> {
  yield* first;
  for (;;) yield* chance.some(FAULTS, FAULTS.length);
}
