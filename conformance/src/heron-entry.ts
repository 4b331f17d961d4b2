/** What entries have in common that a query for the word heron finds alike: it says the same, of the same time. */
export const HERON = { content: "the heron stands in the reeds", occurred_at: 1_000 } as const;
