export {
  type ConsolidateDependencies,
  type Consolidation,
  consolidate,
  type MergedFacts,
  type ResolvedFact,
  type RetainedFact,
} from "./consolidate.js";
export { CONSOLIDATE_DEFAULTS, type ConsolidateOptions } from "./consolidate-options.js";
export type { UnansweredGroup } from "./contradictions.js";
export type { LearnedBatch } from "./learn-batch.js";
export { Learner, type LearnerDependencies, type PollOptions } from "./learner.js";
export {
  LEARNER_DEFAULTS,
  type LearnerInput,
  type LearnerOptions,
  type SubjectOf,
} from "./learner-options.js";
export type { LearnerStats } from "./learner-stats.js";
export { type Observation, type ObservedMemory, type ObserveOptions, observe } from "./observe.js";
export type { SetAsideMessage, SetAsideSelection } from "./set-aside.js";
