import type { Logger } from "@membus/protocol";

/** What a plugin or a bus has to say is theirs: the suite judges what they do. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });
