import type { Clock } from "@membus/protocol";
import type { ChatModel, CostMeter } from "../model/index.js";
import type { ResolvedLongTermOptions } from "./long-term-options.js";

/** What a step needs to know of the call that it is part of. */
export interface CallContext {
  readonly options: ResolvedLongTermOptions;
  readonly clock: Clock;
  readonly meter: CostMeter;
  /** Absent: nothing is extracted, and only what says the same is told. */
  readonly model?: ChatModel | undefined;
  /** The work is done again as a whole if it fails, so a failure need not spare what is written. */
  readonly isRepeated?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}
