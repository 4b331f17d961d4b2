export { registerStorageSuite, type TestContext, type TestFramework } from "./register-storage-suite.js";
export {
  STORAGE_SUITE_DEFAULTS,
  type StorageSuiteOptions,
  type StorageUnderTest,
} from "./storage-under-test.js";
