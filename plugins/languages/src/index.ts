export { createMultilingualAnalyzer, isOtherLanguage } from "./multilingual.js";
