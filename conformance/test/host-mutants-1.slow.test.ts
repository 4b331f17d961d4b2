import { testMutants } from "./mutants.js";

testMutants("host", 1, 2);
