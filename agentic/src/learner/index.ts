export {
  type ConsolidateDependencies,
  type Consolidation,
  consolidate,
  type MergedFacts,
  type ResolvedFact,
  type RetainedFact,
} from "./consolidate.js";
export type { ConsolidateOptions, UnansweredGroup } from "./contradictions.js";
export type { LearnedBatch } from "./learn-batch.js";
export { Learner, type LearnerDependencies, type PollOptions } from "./learner.js";
export type { LearnerInput, LearnerOptions, SubjectOf } from "./learner-options.js";
export type { LearnerStats } from "./learner-stats.js";
export { type Observation, type ObservedMemory, type ObserveOptions, observe } from "./observe.js";
export type { SetAsideMessage, SetAsideSelection } from "./set-aside.js";
