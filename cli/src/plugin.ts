// For authors of plugins: the contract, the protocol, and the kit that implements the contract over a small storage port.
export * from "@membus/plugin-kit";
export * from "@membus/protocol";
export * from "@membus/protocol/plugin";
