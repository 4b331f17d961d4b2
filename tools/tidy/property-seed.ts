import fc from "fast-check";

/** Setup of every test file: properties are tested with the same values in each run. MEMBUS_SEED chooses others. */
fc.configureGlobal({ seed: Number(process.env.MEMBUS_SEED ?? 1) });
