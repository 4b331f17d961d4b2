/** A question in words of its own, and the turn that answers it. */
export interface Question {
  readonly agent: "alice" | "bob";
  readonly ask: string;
  /** Words that only the answer has. */
  readonly answer: string;
}

export const QUESTIONS: readonly Question[] = [
  { agent: "alice", ask: "which building gets flooded?", answer: "It also floods every other winter" },
  { agent: "alice", ask: "who is the owner, and what animals did he have?", answer: "he kept bees" },
  {
    agent: "alice",
    ask: "how much did the landlord lower the price for sealing the floor?",
    answer: "came down to 1,380",
  },
  { agent: "alice", ask: "can customers buy fried things in the evening?", answer: "no frying after eight" },
  { agent: "alice", ask: "what does the food inspector want to see?", answer: "hand basin with warm water" },
  {
    agent: "alice",
    ask: "where do people change into their work clothes?",
    answer: "where the staff change their clothes",
  },
  {
    agent: "alice",
    ask: "what wages did you offer the night baker per hour?",
    answer: "Fourteen an hour for the night baker",
  },
  { agent: "alice", ask: "on which days do the employees not work?", answer: "Sundays and Mondays off" },
  { agent: "alice", ask: "what went wrong with the oven at the dealer?", answer: "dropped the stone plates" },
  { agent: "alice", ask: "what do the first customers get as a gift?", answer: "cardamom bun for free" },
  { agent: "bob", ask: "how wet is the dough, in per cent of water?", answer: "Noted: 74 per cent water" },
  { agent: "bob", ask: "how old is the starter?", answer: "My starter is eleven years old" },
  { agent: "bob", ask: "which mill does the rye come from?", answer: "For the rye I go to Low Ford" },
  {
    agent: "bob",
    ask: "which dairy brings the butter?",
    answer: "From the dairy cooperative in the next town",
  },
  { agent: "bob", ask: "what is the interest rate of the bank's loan?", answer: "at 4.6 per cent" },
  { agent: "bob", ask: "what are the fees for card payments?", answer: "The reader costs 19 a month" },
  {
    agent: "bob",
    ask: "which volunteer collects what is left over?",
    answer: "A volunteer from the shelter",
  },
  {
    agent: "bob",
    ask: "how long should the steam stay in for a shiny crust?",
    answer: "Give it twenty seconds",
  },
  { agent: "bob", ask: "why was the sesame dangerous?", answer: "the sesame jar stood above" },
];

/** Nobody ever spoke of this. */
export const OFF_TOPIC = "orbital mechanics of the moons of Jupiter";
