import { testMutants } from "./test-mutants.js";

testMutants("host");
