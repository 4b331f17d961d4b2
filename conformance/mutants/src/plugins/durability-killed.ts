import * as compactsInPlace from "../killed/compacts-in-place.js";
import * as countersApart from "../killed/counters-apart.js";
import * as draftTrusted from "../killed/draft-trusted.js";
import * as emptiesWhenOpened from "../killed/empties-when-opened.js";
import * as entryLines from "../killed/entry-lines.js";
import * as forgetsInPlace from "../killed/forgets-in-place.js";
import * as forgetsWithTheNextStore from "../killed/forgets-with-the-next-store.js";
import * as lockInTheProcess from "../killed/lock-in-the-process.js";
import * as lockNamedInTheProcess from "../killed/lock-named-in-the-process.js";
import * as lockTakenForStale from "../killed/lock-taken-for-stale.js";
import * as movesWhenOpened from "../killed/moves-when-opened.js";
import * as removesBeforeRenaming from "../killed/removes-before-renaming.js";
import * as resultsFirst from "../killed/results-first.js";
import * as resultsWrittenOver from "../killed/results-written-over.js";
import * as tornLineContinued from "../killed/torn-line-continued.js";
import * as tornLineRefused from "../killed/torn-line-refused.js";
import type { Mutant } from "../mutant.js";
import { killedMutant } from "./killed-mutant.js";

const IN_A_BATCH = "durability/kill-in-a-batch-leaves-all-or-nothing";
const IN_MAINTENANCE = "durability/kill-in-maintenance-loses-nothing";
const IN_A_FORGET = "durability/kill-in-a-forget-brings-nothing-back";
const WHILE_OPENING = "durability/kill-while-opening-loses-nothing";
const ANOTHER_PROCESS = "lifecycle/another-process-is-refused";

export const durabilityKilledMutants: readonly Mutant[] = [
  killedMutant("entry-lines", entryLines, {
    id: "durability-entry-by-entry",
    defect: "the entries of a batch are written one by one, and its result after them",
    check: IN_A_BATCH,
    // The examined moment may lie between two entries, or between the last one and the result.
    names:
      /(differences from the stored entries|outcomes of a repeated store that was interrupted), after a kill in a batch/,
  }),
  killedMutant("results-first", resultsFirst, {
    id: "durability-result-before-rows",
    defect: "the result of a store is written before its rows",
    check: IN_A_BATCH,
    names: /differences from the stored entries, after all steps were repeated, after a kill in a batch/,
  }),
  killedMutant("torn-line-refused", tornLineRefused, {
    id: "durability-torn-line-refused",
    defect: "a partial line at the end of the journal prevents the plugin from opening",
    check: IN_A_BATCH,
    names: /opening the plugin on the directory of a process that was killed in a batch/,
  }),
  killedMutant("torn-line-continued", tornLineContinued, {
    id: "durability-torn-line-continued",
    defect: "writes after a crash are appended to a partial line, and lost with it",
    check: IN_A_BATCH,
    names:
      /differences from the stored entries, after all steps were repeated after a kill in a batch, and reopened/,
  }),
  killedMutant("compacts-in-place", compactsInPlace, {
    id: "durability-compacts-in-place",
    defect: "maintenance truncates the journal before it rewrites the rows",
    check: IN_MAINTENANCE,
    names: /differences from the stored entries, after a kill in maintenance/,
  }),
  killedMutant("removes-before-renaming", removesBeforeRenaming, {
    id: "durability-removes-before-renaming",
    defect: "maintenance deletes the journal before it renames the compacted one",
    check: IN_MAINTENANCE,
    names: /differences from the stored entries, after a kill in maintenance/,
  }),
  killedMutant("counters-apart", countersApart, {
    id: "durability-counters-written-over",
    defect: "maintenance overwrites the file with the last revisions, which is the only copy",
    check: IN_MAINTENANCE,
    names:
      /opening the plugin on the directory of a process that was killed in maintenance|revisions not above the previous one/,
  }),
  killedMutant("forgets-with-the-next-store", forgetsWithTheNextStore, {
    id: "durability-forgets-with-the-next-store",
    defect: "a forget is written with the next store",
    check: IN_A_FORGET,
    names:
      /differences from the stored entries|the result of a repeated forget, after a kill (in|right after) a forget/,
  }),
  killedMutant("forgets-in-place", forgetsInPlace, {
    id: "durability-forgets-in-place",
    defect: "a forget truncates the journal before it writes the remaining rows",
    check: IN_A_FORGET,
    names: /the result of a repeated store, after a kill in a forget/,
  }),
  killedMutant("results-written-over", resultsWrittenOver, {
    id: "durability-results-written-over",
    defect: "a forget overwrites the file with the results of all requests",
    check: IN_A_FORGET,
    names: /the result of a repeated store, after a kill in a forget/,
  }),
  killedMutant("moves-when-opened", movesWhenOpened, {
    id: "durability-moves-when-opened",
    defect: "the journal is moved away at opening, until its lines are in a new one",
    check: WHILE_OPENING,
    names: /missing after a kill while it opens/,
  }),
  killedMutant("empties-when-opened", emptiesWhenOpened, {
    id: "durability-empties-when-opened",
    defect: "the journal is overwritten at opening",
    check: WHILE_OPENING,
    names: /missing after a kill while it opens/,
  }),
  killedMutant("draft-trusted", draftTrusted, {
    id: "durability-copy-trusted-in-part",
    defect: "a copy of the journal from an earlier opening is treated as complete",
    check: WHILE_OPENING,
    names: /missing after a kill while it opens/,
  }),
];

export const lifecycleProcessMutants: readonly Mutant[] = [
  killedMutant("lock-in-the-process", lockInTheProcess, {
    id: "lifecycle-lock-in-the-process",
    defect: "open directories are only tracked within the process",
    check: ANOTHER_PROCESS,
    names: /`open` on a directory that another process has open: expected an error/,
  }),
  killedMutant("lock-taken-for-stale", lockTakenForStale, {
    id: "lifecycle-lock-taken-for-stale",
    defect: "the lock of another process is treated as left by a crash",
    check: ANOTHER_PROCESS,
    names: /`open` on a directory that another process has open: expected an error/,
  }),
  killedMutant("lock-named-in-the-process", lockNamedInTheProcess, {
    id: "lifecycle-other-owner-not-named",
    defect: "the error of a second open does not name the process that has the directory",
    check: ANOTHER_PROCESS,
    names: /the error of `open` on a directory that another process has open/,
  }),
];
