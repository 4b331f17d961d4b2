import * as bufferedJournal from "../killed/buffered-journal.js";
import * as contentAside from "../killed/content-aside.js";
import * as lazyForgets from "../killed/lazy-forgets.js";
import * as pendingRows from "../killed/pending-rows.js";
import * as resultsInRows from "../killed/results-in-rows.js";
import * as rowsBeforeResults from "../killed/rows-before-results.js";
import { type Mutant, type PluginMutant, pluginMutant } from "../mutant.js";

/** What a process that is killed loads it from. */
const NODE_ARGUMENTS = ["--conditions", "membus-source", "--import", "tsx"];

function killed(
  file: string,
  { createPlugin }: Pick<PluginMutant, "createPlugin">,
  facts: Pick<PluginMutant, "id" | "defect" | "check" | "names">,
): Mutant {
  const module = new URL(`../killed/${file}.ts`, import.meta.url).href;
  const implementation = { module, nodeArguments: NODE_ARGUMENTS };
  return pluginMutant({ ...facts, tier: "episodic", createPlugin, implementation });
}

const ENTRIES = "durability/entries-survive-kill";

export const durabilityCrashMutants: readonly Mutant[] = [
  killed("buffered-journal", bufferedJournal, {
    id: "durability-buffers-acknowledged-writes",
    defect: "a store is answered while its line waits to be written with others",
    check: ENTRIES,
    names: /numbers of entries that were acknowledged and are not there after a kill/,
  }),
  killed("pending-rows", pendingRows, {
    id: "durability-replays-twice",
    defect: "a row that stands in the journal twice is there twice after a crash",
    check: ENTRIES,
    names: /entries that are there twice after a kill/,
  }),
  killed("content-aside", contentAside, {
    id: "durability-content-follows-later",
    defect: "the content of an entry is written some time after the rest of it",
    check: ENTRIES,
    names: /entries that are there in part after a kill/,
  }),
  killed("lazy-forgets", lazyForgets, {
    id: "durability-forgets-when-closed",
    defect: "a forget reaches the disk when the plugin is closed, and a crash brings everything back",
    check: ENTRIES,
    names: /numbers of entries that were forgotten and are back after a kill/,
  }),
  killed("rows-before-results", rowsBeforeResults, {
    id: "durability-results-apart-from-rows",
    defect: "which operations are done is written when the plugin is closed, and lost in a crash",
    check: "durability/results-survive-kill",
    names: /the result of a store that was acknowledged before a kill and is repeated after it/,
  }),
  killed("results-in-rows", resultsInRows, {
    id: "durability-results-in-rows",
    defect:
      "after a crash a store is known by the rows that it wrote, and not any more where they are written over",
    check: "durability/retries-after-kill-revert-nothing",
    names: /contents after stores from before a kill were repeated/,
  }),
];
