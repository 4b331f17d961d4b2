// Runs the conformance suite, and the suite for storages of the kit, in vitest.
export * from "@membus/conformance/vitest";
export {
  registerStorageSuite,
  type StorageSuiteOptions,
  type StorageUnderTest,
} from "@membus/plugin-kit/storage-suite";
