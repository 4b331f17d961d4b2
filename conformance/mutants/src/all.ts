import { agentsHostMutants } from "./hosts/agents.js";
import { basicMutants } from "./hosts/basic.js";
import { discoveryMutants } from "./hosts/discovery.js";
import { encodingMutants } from "./hosts/encoding.js";
import { envelopeMutants } from "./hosts/envelope.js";
import { errorsMutants } from "./hosts/errors.js";
import { eventsMutants } from "./hosts/events.js";
import { hostPluginsMutants } from "./hosts/host-plugins.js";
import { hostileMutants } from "./hosts/hostile.js";
import { limitsMutants } from "./hosts/limits.js";
import { limitsOfTimesMutants } from "./hosts/limits-times.js";
import { lineageHostMutants } from "./hosts/lineage.js";
import { listHostMutants } from "./hosts/list.js";
import { retriesMutants } from "./hosts/retries.js";
import { revisionsMutants } from "./hosts/revisions.js";
import { steeringHostMutants } from "./hosts/steering.js";
import { subjectsMutants } from "./hosts/subjects.js";
import { undeclaredMutants } from "./hosts/undeclared.js";
import type { Mutant } from "./mutant.js";
import { agentsMutants } from "./plugins/agents.js";
import { approximateMutants } from "./plugins/approximate.js";
import { cascadeMutants } from "./plugins/cascade.js";
import { concurrencyMutants } from "./plugins/concurrency.js";
import { conditionalMutants } from "./plugins/conditional.js";
import { cursorMutants } from "./plugins/cursor.js";
import { durabilityMutants } from "./plugins/durability.js";
import { entryMutants } from "./plugins/entry.js";
import { entryRevisionMutants } from "./plugins/entry-revisions.js";
import { evictionMutants } from "./plugins/eviction.js";
import { factoryMutants } from "./plugins/factory.js";
import { featuresMutants } from "./plugins/features.js";
import { forgetMutants } from "./plugins/forget.js";
import { fullTextMutants } from "./plugins/full-text.js";
import { generationsMutants } from "./plugins/generations.js";
import { interleavingMutants } from "./plugins/interleaving.js";
import { keysMutants } from "./plugins/keys.js";
import { lifecycleMutants } from "./plugins/lifecycle.js";
import { lifecycleObjectsMutants } from "./plugins/lifecycle-objects.js";
import { listMutants } from "./plugins/list.js";
import { modelMutants } from "./plugins/model.js";
import { namespaceMutants } from "./plugins/namespace.js";
import { nearValueMutants } from "./plugins/near-values.js";
import { notifyMutants } from "./plugins/notify.js";
import { orderMutants } from "./plugins/order.js";
import { orderEdgeMutants } from "./plugins/order-edges.js";
import { ownerMutants } from "./plugins/owners.js";
import { queryTextMutants } from "./plugins/query-text.js";
import { rankingOptionMutants } from "./plugins/ranking-options.js";
import { rankingResultMutants } from "./plugins/ranking-results.js";
import { readingMutants } from "./plugins/reading.js";
import { recordsMutants } from "./plugins/records.js";
import { retrieveMutants } from "./plugins/retrieve.js";
import { retryMutants } from "./plugins/retry.js";
import { scopeMutants } from "./plugins/scope.js";
import { scoreMutants } from "./plugins/score.js";
import { similarityMutants } from "./plugins/similarity.js";
import { snippetMutants } from "./plugins/snippet.js";
import { sourcesMutants } from "./plugins/sources.js";
import { storeMutants } from "./plugins/store.js";
import { textMutants } from "./plugins/text.js";
import { ttlMutants } from "./plugins/ttl.js";
import { ttlEdgeMutants } from "./plugins/ttl-edges.js";
import { updateMutants } from "./plugins/update.js";
import { volumeMutants } from "./plugins/volume.js";
import { whereMutants } from "./plugins/where.js";

/** All mutants. */
export const MUTANTS: readonly Mutant[] = [
  ...storeMutants,
  ...updateMutants,
  ...keysMutants,
  ...entryMutants,
  ...entryRevisionMutants,
  ...textMutants,
  ...conditionalMutants,
  ...retrieveMutants,
  ...readingMutants,
  ...whereMutants,
  ...namespaceMutants,
  ...nearValueMutants,
  ...orderMutants,
  ...orderEdgeMutants,
  ...ownerMutants,
  ...similarityMutants,
  ...approximateMutants,
  ...fullTextMutants,
  ...queryTextMutants,
  ...scoreMutants,
  ...rankingOptionMutants,
  ...rankingResultMutants,
  ...snippetMutants,
  ...steeringHostMutants,
  ...undeclaredMutants,
  ...retriesMutants,
  ...revisionsMutants,
  ...generationsMutants,
  ...cursorMutants,
  ...listMutants,
  ...agentsMutants,
  ...listHostMutants,
  ...agentsHostMutants,
  ...factoryMutants,
  ...lifecycleMutants,
  ...lifecycleObjectsMutants,
  ...forgetMutants,
  ...sourcesMutants,
  ...cascadeMutants,
  ...lineageHostMutants,
  ...ttlMutants,
  ...ttlEdgeMutants,
  ...scopeMutants,
  ...concurrencyMutants,
  ...interleavingMutants,
  ...durabilityMutants,
  ...retryMutants,
  ...featuresMutants,
  ...evictionMutants,
  ...notifyMutants,
  ...envelopeMutants,
  ...encodingMutants,
  ...limitsMutants,
  ...limitsOfTimesMutants,
  ...errorsMutants,
  ...subjectsMutants,
  ...hostileMutants,
  ...eventsMutants,
  ...discoveryMutants,
  ...basicMutants,
  ...hostPluginsMutants,
  ...volumeMutants,
  ...recordsMutants,
  ...modelMutants,
];
