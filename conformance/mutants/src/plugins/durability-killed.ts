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
    defect: "the entries of a batch are written one by one, and its result behind them",
    check: IN_A_BATCH,
    names: /what is not as it was stored, after a kill in a batch/,
  }),
  killedMutant("results-first", resultsFirst, {
    id: "durability-result-before-rows",
    defect: "that a store is done is written before what it stored",
    check: IN_A_BATCH,
    names: /what is not as it was stored, all being repeated after a kill in a batch/,
  }),
  killedMutant("torn-line-refused", tornLineRefused, {
    id: "durability-torn-line-refused",
    defect: "half a line at the end of the journal keeps the plugin from opening",
    check: IN_A_BATCH,
    names: /opening the plugin on the directory of a process that was killed in a batch/,
  }),
  killedMutant("torn-line-continued", tornLineContinued, {
    id: "durability-torn-line-continued",
    defect: "what is written after a crash goes on behind half a line, and is lost with it",
    check: IN_A_BATCH,
    names: /what is not as it was stored, all being repeated after a kill in a batch, and opened again/,
  }),
  killedMutant("compacts-in-place", compactsInPlace, {
    id: "durability-compacts-in-place",
    defect: "maintenance empties the journal before it writes the rows anew",
    check: IN_MAINTENANCE,
    names: /what is not as it was stored, after a kill in maintenance/,
  }),
  killedMutant("removes-before-renaming", removesBeforeRenaming, {
    id: "durability-removes-before-renaming",
    defect: "maintenance removes the journal, and puts the compacted one in its place then",
    check: IN_MAINTENANCE,
    names: /what is not as it was stored, after a kill in maintenance/,
  }),
  killedMutant("counters-apart", countersApart, {
    id: "durability-counters-written-over",
    defect: "maintenance writes the last revisions over a file that is read alone then",
    check: IN_MAINTENANCE,
    names:
      /opening the plugin on the directory of a process that was killed in maintenance|revisions that are not above the one before/,
  }),
  killedMutant("forgets-with-the-next-store", forgetsWithTheNextStore, {
    id: "durability-forgets-with-the-next-store",
    defect: "a forget reaches the disk with the next store",
    check: IN_A_FORGET,
    names:
      /what is not as it was stored|the result of a forget that is repeated after a kill (in|right after) a forget/,
  }),
  killedMutant("forgets-in-place", forgetsInPlace, {
    id: "durability-forgets-in-place",
    defect: "a forget empties the journal before it writes what is left",
    check: IN_A_FORGET,
    names: /the result of a store that is repeated after a kill in a forget/,
  }),
  killedMutant("results-written-over", resultsWrittenOver, {
    id: "durability-results-written-over",
    defect: "a forget writes the results of all requests over the file that holds them",
    check: IN_A_FORGET,
    names: /the result of a store that is repeated after a kill in a forget/,
  }),
  killedMutant("moves-when-opened", movesWhenOpened, {
    id: "durability-moves-when-opened",
    defect: "the journal is put aside when it is opened, until its lines are in a new one",
    check: WHILE_OPENING,
    names: /not there after a kill while it opens/,
  }),
  killedMutant("empties-when-opened", emptiesWhenOpened, {
    id: "durability-empties-when-opened",
    defect: "the journal is written over when it is opened",
    check: WHILE_OPENING,
    names: /not there after a kill while it opens/,
  }),
  killedMutant("draft-trusted", draftTrusted, {
    id: "durability-copy-trusted-in-part",
    defect: "a copy of the journal that an opening has made is taken for a whole one by the next",
    check: WHILE_OPENING,
    names: /not there after a kill while it opens/,
  }),
];

export const lifecycleProcessMutants: readonly Mutant[] = [
  killedMutant("lock-in-the-process", lockInTheProcess, {
    id: "lifecycle-lock-in-the-process",
    defect: "which directories are open is known in the same process alone",
    check: ANOTHER_PROCESS,
    names: /`open` on a directory that another process has open: expected an error/,
  }),
  killedMutant("lock-taken-for-stale", lockTakenForStale, {
    id: "lifecycle-lock-taken-for-stale",
    defect: "the lock of another process is taken for one that a crash has left",
    check: ANOTHER_PROCESS,
    names: /`open` on a directory that another process has open: expected an error/,
  }),
  killedMutant("lock-named-in-the-process", lockNamedInTheProcess, {
    id: "lifecycle-other-owner-not-named",
    defect: "whoever comes second is not told which other process has the directory",
    check: ANOTHER_PROCESS,
    names: /the error of `open` on a directory that another process has open/,
  }),
];
