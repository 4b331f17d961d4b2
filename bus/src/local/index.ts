export { createLocalBus, LocalBus } from "./local-bus.js";
export { LOCAL_BUS_DEFAULTS, type LocalBusOptions } from "./local-options.js";
