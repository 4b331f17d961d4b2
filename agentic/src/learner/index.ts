export { type ConsolidateOptions, type Consolidation, consolidate, type MergedFacts } from "./consolidate.js";
export type { LearnedBatch } from "./learn-batch.js";
export { Learner, type LearnerDependencies, type LookOptions } from "./learner.js";
export { type AboutOf, LEARNER_DEFAULTS, type LearnedTalk, type LearnerOptions } from "./learner-options.js";
export type { LearnerStats } from "./learner-stats.js";
export { type ObserveOptions, observe } from "./observe.js";
export type { SetAsideMessage, SetAsideSelection } from "./set-aside.js";
