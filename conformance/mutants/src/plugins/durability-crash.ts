import * as bufferedJournal from "../killed/buffered-journal.js";
import * as contentAside from "../killed/content-aside.js";
import * as lazyForgets from "../killed/lazy-forgets.js";
import * as pendingRows from "../killed/pending-rows.js";
import * as resultsInRows from "../killed/results-in-rows.js";
import * as rowsBeforeResults from "../killed/rows-before-results.js";
import type { Mutant } from "../mutant.js";
import { killedMutant } from "./killed-mutant.js";

const ENTRIES = "durability/entries-survive-kill";

export const durabilityCrashMutants: readonly Mutant[] = [
  killedMutant("buffered-journal", bufferedJournal, {
    id: "durability-buffers-acknowledged-writes",
    defect: "a store is answered while its line is still buffered",
    check: ENTRIES,
    names: /numbers of acknowledged entries that are missing after a kill/,
  }),
  killedMutant("pending-rows", pendingRows, {
    id: "durability-replays-twice",
    defect: "a row that is in the journal twice exists twice after a crash",
    check: ENTRIES,
    names: /duplicate entries after a kill/,
  }),
  killedMutant("content-aside", contentAside, {
    id: "durability-content-follows-later",
    defect: "the content of an entry is written some time after the rest of it",
    check: ENTRIES,
    names: /partial entries after a kill/,
  }),
  killedMutant("lazy-forgets", lazyForgets, {
    id: "durability-forgets-when-closed",
    defect: "a forget is only written when the plugin is closed, and a crash restores all entries",
    check: ENTRIES,
    names: /numbers of forgotten entries that exist again after a kill/,
  }),
  killedMutant("rows-before-results", rowsBeforeResults, {
    id: "durability-results-apart-from-rows",
    defect: "results are only written when the plugin is closed, and lost in a crash",
    check: "durability/results-survive-kill",
    names: /the result of a store that was acknowledged before a kill and is repeated after it/,
  }),
  killedMutant("results-in-rows", resultsInRows, {
    id: "durability-results-in-rows",
    defect: "after a crash a store is recognised by its rows, until they are overwritten",
    check: "durability/retries-after-kill-revert-nothing",
    names: /contents after stores from before a kill were repeated/,
  }),
];
