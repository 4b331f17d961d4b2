import { fileURLToPath } from "node:url";

/** Folder of the built-in evaluation set, the default of `membus eval`. */
export const SHIPPED_SET = fileURLToPath(new URL("../../evaluation-set/", import.meta.url));
