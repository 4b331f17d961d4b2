export {
  canonicalRemote,
  type Project,
  projectOf,
  projectOfPerson,
  type Subject,
  subjectsOf,
} from "./project.js";
