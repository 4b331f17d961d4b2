import { testMutants } from "./test-mutants.js";

testMutants("plugin");
