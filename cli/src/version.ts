/** Version of membus, as in package.json. */
export const MEMBUS_VERSION = "0.1.0";
