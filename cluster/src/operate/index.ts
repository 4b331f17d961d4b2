export { drainHost, pinShard } from "./choose-owners.js";
