/** One request of an agent in a form that can be sent again. */
export interface TracedStep {
  readonly tenant: string;
  readonly agent: string;
  readonly message: Readonly<Record<string, unknown>>;
}
