import { testMutants } from "./mutants.js";

testMutants("plugin");
