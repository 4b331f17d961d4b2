import { testMutants } from "./mutants.js";

testMutants("host", 2, 2);
