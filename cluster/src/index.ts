export { type OwnershipOptions, OwnershipOptionsSchema } from "./ownership/index.js";
