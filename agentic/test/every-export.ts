// The names of all entry points, in which the examples of the guides run.
export * from "../src/blocks/index.js";
export * from "../src/budget/index.js";
export * from "../src/context/index.js";
export * from "../src/conversation/index.js";
export * from "../src/files/index.js";
export * from "../src/graph/index.js";
export * from "../src/index.js";
export * from "../src/learner/index.js";
export * from "../src/long-records/index.js";
export * from "../src/long-term/index.js";
export * from "../src/memory/index.js";
export * from "../src/model/index.js";
export * from "../src/progressive/index.js";
export * from "../src/tools/index.js";
