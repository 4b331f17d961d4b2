/** The version of this package, as discovery reports it. */
export const HOST_VERSION = "0.1.0";
