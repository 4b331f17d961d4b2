import type { Check } from "../catalogue/check.js";
import { basicChecks } from "./basic/basic.js";
import { encodingChecks } from "./envelope/encoding.js";
import { envelopeChecks } from "./envelope/envelope.js";
import { hostileChecks } from "./envelope/hostile.js";
import { limitsChecks } from "./envelope/limits.js";
import { errorsChecks } from "./errors/errors.js";
import { hostPluginsChecks } from "./host/host-plugins.js";
import { cascadeChecks } from "./operations/forget/cascade.js";
import { forgetChecks } from "./operations/forget/forget.js";
import { ttlChecks } from "./operations/forget/ttl.js";
import { agentsChecks } from "./operations/list/agents.js";
import { listChecks } from "./operations/list/list.js";
import { cursorChecks } from "./operations/retrieve/cursor.js";
import { fullTextChecks } from "./operations/retrieve/full-text.js";
import { orderChecks } from "./operations/retrieve/order.js";
import { queryTextChecks } from "./operations/retrieve/query-text.js";
import { retrieveChecks } from "./operations/retrieve/retrieve.js";
import { scoreChecks } from "./operations/retrieve/score.js";
import { similarityChecks } from "./operations/retrieve/similarity.js";
import { steeringChecks } from "./operations/retrieve/steering.js";
import { whereChecks } from "./operations/retrieve/where.js";
import { conditionalChecks } from "./operations/store/conditional.js";
import { entryChecks } from "./operations/store/entry.js";
import { keysChecks } from "./operations/store/keys.js";
import { retryChecks } from "./operations/store/retry.js";
import { sourcesChecks } from "./operations/store/sources.js";
import { storeChecks } from "./operations/store/store.js";
import { textChecks } from "./operations/store/text.js";
import { textLongChecks } from "./operations/store/text-long.js";
import { updateChecks } from "./operations/store/update.js";
import { volumeChecks } from "./operations/store/volume.js";
import { concurrencyChecks } from "./plugin/concurrency.js";
import { concurrencyForgetChecks } from "./plugin/concurrency-forget.js";
import { durabilityChecks } from "./plugin/durability.js";
import { evictionChecks } from "./plugin/eviction.js";
import { factoryChecks } from "./plugin/factory.js";
import { featuresChecks } from "./plugin/features.js";
import { lifecycleChecks } from "./plugin/lifecycle.js";
import { modelChecks } from "./plugin/model.js";
import { recordsChecks } from "./records/records.js";
import { discoveryChecks } from "./subjects/discovery.js";
import { eventsChecks } from "./subjects/events.js";
import { namespaceChecks } from "./subjects/namespace.js";
import { notifyChecks } from "./subjects/notify.js";
import { notifyOwnerChecks } from "./subjects/notify-owner.js";
import { scopeChecks } from "./subjects/scope.js";
import { subjectsChecks } from "./subjects/subjects.js";

/** All checks by area. A check file runs only if it is listed here. */
export const CHECKS: readonly Check[] = [
  ...storeChecks,
  ...updateChecks,
  ...keysChecks,
  ...entryChecks,
  ...textChecks,
  ...textLongChecks,
  ...conditionalChecks,
  ...retrieveChecks,
  ...whereChecks,
  ...namespaceChecks,
  ...orderChecks,
  ...similarityChecks,
  ...fullTextChecks,
  ...queryTextChecks,
  ...scoreChecks,
  ...steeringChecks,
  ...cursorChecks,
  ...listChecks,
  ...agentsChecks,
  ...factoryChecks,
  ...lifecycleChecks,
  ...forgetChecks,
  ...sourcesChecks,
  ...cascadeChecks,
  ...ttlChecks,
  ...scopeChecks,
  ...concurrencyChecks,
  ...concurrencyForgetChecks,
  ...durabilityChecks,
  ...retryChecks,
  ...featuresChecks,
  ...evictionChecks,
  ...notifyChecks,
  ...notifyOwnerChecks,
  ...envelopeChecks,
  ...encodingChecks,
  ...limitsChecks,
  ...errorsChecks,
  ...subjectsChecks,
  ...hostileChecks,
  ...eventsChecks,
  ...discoveryChecks,
  ...hostPluginsChecks,
  ...volumeChecks,
  ...recordsChecks,
  ...basicChecks,
  ...modelChecks,
];
