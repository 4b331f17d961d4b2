/** One request of an agent, as it can be sent again. */
export interface TracedStep {
  readonly tenant: string;
  readonly agent: string;
  readonly message: Readonly<Record<string, unknown>>;
}
