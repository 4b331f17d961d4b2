import type { Check } from "../catalogue/check.js";
import { basicChecks } from "./basic.js";
import { cascadeChecks } from "./cascade.js";
import { concurrencyChecks } from "./concurrency.js";
import { conditionalChecks } from "./conditional.js";
import { cursorChecks } from "./cursor.js";
import { discoveryChecks } from "./discovery.js";
import { durabilityChecks } from "./durability.js";
import { encodingChecks } from "./encoding.js";
import { entryChecks } from "./entry.js";
import { envelopeChecks } from "./envelope.js";
import { errorsChecks } from "./errors.js";
import { eventsChecks } from "./events.js";
import { evictionChecks } from "./eviction.js";
import { factoryChecks } from "./factory.js";
import { featuresChecks } from "./features.js";
import { forgetChecks } from "./forget.js";
import { fullTextChecks } from "./full-text.js";
import { hostPluginsChecks } from "./host-plugins.js";
import { hostileChecks } from "./hostile.js";
import { keysChecks } from "./keys.js";
import { lifecycleChecks } from "./lifecycle.js";
import { limitsChecks } from "./limits.js";
import { listChecks } from "./list.js";
import { modelChecks } from "./model.js";
import { namespaceChecks } from "./namespace.js";
import { notifyChecks } from "./notify.js";
import { orderChecks } from "./order.js";
import { queryTextChecks } from "./query-text.js";
import { recordsChecks } from "./records.js";
import { retrieveChecks } from "./retrieve.js";
import { retryChecks } from "./retry.js";
import { scopeChecks } from "./scope.js";
import { scoreChecks } from "./score.js";
import { similarityChecks } from "./similarity.js";
import { sourcesChecks } from "./sources.js";
import { steeringChecks } from "./steering.js";
import { storeChecks } from "./store.js";
import { subjectsChecks } from "./subjects.js";
import { textChecks } from "./text.js";
import { ttlChecks } from "./ttl.js";
import { updateChecks } from "./update.js";
import { volumeChecks } from "./volume.js";
import { whereChecks } from "./where.js";

/** Every check there is, by area. A file of checks that is not listed here does not run. */
export const CHECKS: readonly Check[] = [
  ...storeChecks,
  ...updateChecks,
  ...keysChecks,
  ...entryChecks,
  ...textChecks,
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
  ...factoryChecks,
  ...lifecycleChecks,
  ...forgetChecks,
  ...sourcesChecks,
  ...cascadeChecks,
  ...ttlChecks,
  ...scopeChecks,
  ...concurrencyChecks,
  ...durabilityChecks,
  ...retryChecks,
  ...featuresChecks,
  ...evictionChecks,
  ...notifyChecks,
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
