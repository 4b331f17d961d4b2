/**
 * The agent of requests that name none. It has no private memory, and reads the memory that a tenant shares.
 */
export const NO_AGENT = "inspector";
