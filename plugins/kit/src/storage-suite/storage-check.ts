import type { Workbench } from "./workbench.js";

/** A rule of `Storage` and its check. */
export interface StorageCheck {
  /** `<area>/<what>`, permanent. */
  readonly id: string;
  /** The rule, as documented in `Storage`. */
  readonly rule: string;
  /** @throws {StorageSuiteError} if the rule is violated, {NotApplicableError} if it cannot be checked. */
  run(bench: Workbench): Promise<void>;
}
