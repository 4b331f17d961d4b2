export { registerStorageSuite, type TestContext, type TestFramework } from "./register-storage-suite.js";
export type { StorageSuiteOptions, StorageUnderTest } from "./storage-under-test.js";
