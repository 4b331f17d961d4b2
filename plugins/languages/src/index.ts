export { createMultilingualAnalyzer } from "./multilingual.js";
