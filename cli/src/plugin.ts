// For authors of plugins: the contract, and the kit that implements it over a small storage port.
export * from "@membus/plugin-kit";
export * from "@membus/protocol/plugin";
