export { jsonOf } from "./json-of.js";
export { optional, ttlOption } from "./option-rules.js";
