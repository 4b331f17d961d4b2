export * from "./codec.js";
export * from "./request.js";
export * from "./request-digest.js";
