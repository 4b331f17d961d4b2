/** A question in words of its own, and the turn that answers it. */
export interface Question {
  readonly agent: "alice" | "bob";
  readonly ask: string;
  /** Words that only the answer has. */
  readonly answer: string;
}

export const QUESTIONS: readonly Question[] = [
  { agent: "alice", ask: "how much is the rent after the negotiation?", answer: "came down to 1,380" },
  { agent: "alice", ask: "which building gets flooded?", answer: "It also floods every other winter" },
  { agent: "alice", ask: "what kind of man owns the shop?", answer: "he kept bees" },
  { agent: "alice", ask: "what does the food inspector want to see?", answer: "hand basin with warm water" },
  { agent: "alice", ask: "what went wrong with the oven at the dealer?", answer: "dropped the stone plates" },
  { agent: "alice", ask: "what wages did you offer Ilse per hour?", answer: "Fourteen an hour for Ilse" },
  { agent: "alice", ask: "on which days do the employees not work?", answer: "Sundays and Mondays off" },
  { agent: "alice", ask: "what do the first customers get as a gift?", answer: "cardamom bun for free" },
  { agent: "bob", ask: "how much water goes into the sourdough?", answer: "Noted: 74 per cent water" },
  { agent: "bob", ask: "what is the name of the starter?", answer: "My starter is called Gerald" },
  { agent: "bob", ask: "who picks up the leftovers by bike?", answer: "A volunteer called Brigid" },
  { agent: "bob", ask: "what interest do we pay on the loan?", answer: "at 4.6 per cent" },
  { agent: "bob", ask: "how do I get a glossy crust?", answer: "Gloss comes from starch" },
  { agent: "bob", ask: "which mill does the rye come from?", answer: "For the rye I go to Low Ford" },
  { agent: "bob", ask: "what are the fees for card payments?", answer: "The reader costs 19 a month" },
  { agent: "bob", ask: "who sells us butter?", answer: "From the dairy cooperative in Carrow" },
];

/** Nobody ever spoke of this. */
export const OFF_TOPIC = "orbital mechanics of the moons of Jupiter";
