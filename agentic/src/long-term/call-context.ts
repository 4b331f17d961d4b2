import type { Clock } from "@membus/protocol";
import type { ChatModel, CostMeter } from "../model/index.js";
import type { ResolvedLongTermOptions } from "./long-term-options.js";

/** The context of a call, for its steps. */
export interface CallContext {
  readonly options: ResolvedLongTermOptions;
  readonly clock: Clock;
  readonly meter: CostMeter;
  /** Absent: no extraction, and only facts with the same words are found. */
  readonly model?: ChatModel | undefined;
  /** True if the whole work is repeated after a failure, even if some entries are written. */
  readonly isRepeated?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}
