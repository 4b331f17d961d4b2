export { EmbedderCache } from "./embedder-cache.js";
export {
  checkEmbedding,
  type Features,
  hasFeature,
  missingFeature,
  requireFeaturesInAnyTier,
  tierNotServedError,
  unsupportedFeatureError,
} from "./features.js";
export { Maintenance } from "./maintenance.js";
export { PluginRunner } from "./plugin-runner.js";
export { serveTiers } from "./served-tiers.js";
