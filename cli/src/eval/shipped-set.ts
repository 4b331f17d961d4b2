import { fileURLToPath } from "node:url";

/** The evaluation set that comes with membus: what `membus eval` measures without a folder. */
export const SHIPPED_SET = fileURLToPath(new URL("../../evaluation-set/", import.meta.url));
