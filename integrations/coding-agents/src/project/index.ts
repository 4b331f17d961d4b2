export { canonicalRemote, type Project, projectOf, type Subject } from "./project.js";
