import { Stretch } from "../stretch.js";
import type { LookNeeds, Partition } from "./partition/partition.js";

/** Rows prepared at a step, at most. */
const ROWS = 256;

/** Does what takes long in a partition that was just loaded, or never asked, before the one look at it. */
export async function prepareLook(partition: Partition, needs: LookNeeds): Promise<void> {
  const stretch = new Stretch();
  while (!partition.prepareSome(needs, ROWS)) await stretch.rest();
}
