import { Yielder } from "../yielder.js";
import type { LookNeeds, Partition } from "./partition/partition.js";

/** Rows prepared at a step, at most. */
const ROWS = 256;

/** Does what takes long in a partition that was just loaded, or never asked, before the one look at it. */
export async function prepareLook(partition: Partition, needs: LookNeeds): Promise<void> {
  const yielder = new Yielder();
  while (!partition.prepareSome(needs, ROWS)) await yielder.rest();
}
