export { createLocalBus, LocalBus } from "./local-bus.js";
export type { LocalBusOptions } from "./local-options.js";
