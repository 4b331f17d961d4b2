// Runs the conformance suite in vitest.
export * from "@membus/conformance/vitest";
