import { testMutants } from "./mutants.js";

testMutants("plugin", 1, 2);
