export type { ErasedMark, FlushMarker, FolderFacts, Owner, RecordedPart } from "./folder-facts.js";
export { FolderManifest } from "./folder-manifest.js";
export { createFolder, openFolder, openMarkerFolder } from "./folder-place.js";
export { formatProblem } from "./format-file.js";
export { MANIFEST_FILE, manifestFile } from "./manifest-file.js";
export { markerFiles } from "./marker-files.js";
export { storageServices } from "./storage-services.js";
export {
  GENERATION_MARKER,
  type ManifestStore,
  type MarkerPlace,
  type Markers,
  type SpaceReserve,
  type StorageFacts,
  type TierPlace,
} from "./tier-place.js";
