import type { LogKeeper } from "@membus/disk";
import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { ShardHold } from "../place/index.js";
import type { LogStreams } from "./log-streams.js";
import type { MessageWriter } from "./message-writer.js";
import type { SpaceWatch } from "./space-watch.js";
import type { ResolvedStreamLogOptions } from "./stream-log-options.js";

export interface LogParts {
  readonly streams: LogStreams;
  readonly writer: MessageWriter;
  readonly hold: ShardHold;
  readonly space: SpaceWatch | undefined;
  readonly keeper: LogKeeper | undefined;
  readonly options: ResolvedStreamLogOptions;
  /** Largest data of one message. */
  readonly messageBytesMax: number;
  readonly clock: Clock;
  readonly logger: Logger;
}
