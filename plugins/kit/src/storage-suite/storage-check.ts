import type { Workbench } from "./workbench.js";

/** What a storage promises, and how that is looked at. */
export interface StorageCheck {
  /** `<area>/<what>`; permanent. */
  readonly id: string;
  /** As `Storage` has it. */
  readonly promise: string;
  /** @throws {StorageSuiteError} where it is not kept, {NotApplicableError} where it cannot be told. */
  run(bench: Workbench): Promise<void>;
}
