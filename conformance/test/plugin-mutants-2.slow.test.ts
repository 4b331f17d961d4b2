import { testMutants } from "./mutants.js";

testMutants("plugin", 2, 2);
