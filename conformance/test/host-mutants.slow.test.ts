import { testMutants } from "./mutants.js";

testMutants("host");
