export { SessionJournal, type Step } from "./session-journal.js";
