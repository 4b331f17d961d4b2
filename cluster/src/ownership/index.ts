export { type OwnershipOptions, OwnershipOptionsSchema } from "./ownership-options.js";
