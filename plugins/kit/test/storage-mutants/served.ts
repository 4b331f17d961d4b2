import type { Storage, StorageContext } from "../../src/index.js";
import { answerMutants } from "./answer-mutants.js";
import { besideMutants } from "./beside-mutants.js";
import { erasureMutants } from "./erasure-mutants.js";
import { folderMutants } from "./folder-mutants.js";
import { killMutants } from "./kill-mutants.js";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";
import { reopeningMutants } from "./reopening-mutants.js";
import { scopeMutants } from "./scope-mutants.js";
import { valueMutants } from "./value-mutants.js";
import { vectorMutants } from "./vector-mutants.js";
import { volumeMutants } from "./volume-mutants.js";

export const MUTANTS: readonly StorageMutant[] = [
  ...valueMutants,
  ...answerMutants,
  ...scopeMutants,
  ...volumeMutants,
  ...vectorMutants,
  ...reopeningMutants,
  ...besideMutants,
  ...killMutants,
  ...folderMutants,
  ...erasureMutants,
];

/** Creates the mutant that the query of this module's URL names, or the correct storage without one. */
export function createStorage(place: StorageContext): Storage {
  const name = new URL(import.meta.url).searchParams.get("mutant");
  const { storage } = MUTANTS.find((mutant) => mutant.name === name) ?? { storage: LinesStorage };
  return new storage(place);
}
