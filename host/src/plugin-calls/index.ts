export { EmbedderCache } from "./embedder-cache.js";
export { Maintenance } from "./maintenance.js";
export {
  checkEmbedding,
  type Features,
  lackOf,
  notOffered,
  notServed,
  offers,
  requireAnywhere,
} from "./offered.js";
export { PluginRunner } from "./plugin-runner.js";
export { serveTiers } from "./served-tiers.js";
