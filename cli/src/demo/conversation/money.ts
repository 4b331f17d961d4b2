import type { Talk } from "./talk.js";

export const MONEY: readonly Talk[] = [
  {
    topic: "suppliers",
    assistant: "bob",
    at: "2026-03-12T20:30:00Z",
    script: `
baker: I visited two mills this week. Both owners wanted to show me their ducks.
bob: Let us leave the ducks out of the comparison. Which mills?
baker [supplier]: North Mill, forty minutes north, and Low Ford, just behind the railway bridge.
bob: What do they charge for a sack of bread flour?
baker [money]: North Mill takes 23 for twenty-five kilos, Low Ford 26.50, but that one is stone-ground and local.
bob: You will use about eighteen sacks a month, so the difference is 63. Which flour did you like better in your hands?
baker: North Mill is white and even, a bit boring. Low Ford smells of grass, but each sack is different.
bob: For the beginning I would want the even one. You will have enough surprises.
baker [supplier]: Then North Mill for wheat. For the rye I go to Low Ford, their rye is splendid.
bob: Agreed. When do they deliver, and what is the smallest order?
baker [schedule]: North Mill comes on Tuesdays and Fridays before six, ten sacks at least.
bob: Ten sacks are a quarter of a tonne. Is there a dry place for it?
baker: The corridor, on pallets, twenty centimetres from the wall as it should be.
bob: And butter?
baker [supplier]: From the dairy cooperative in the next town, 6.10 a kilo if I take twenty. They bring it with the milk.
bob: That is a good price for this spring. Do you have a fridge for twenty kilos of butter and the dough boxes?
baker [equipment]: A used two-door one from the hotel. They gave it to me for taking it away.
bob: Eggs?
baker [people]: A girl from my old school keeps two hundred hens. Her eggs have names on them.
bob: Charming, but the shop needs a stamp on each egg, and a delivery note. Please ask her.
baker: She has stamps. She was almost offended.
bob: Then she is more professional than most. I have listed four suppliers with prices and days.
`,
  },
  {
    topic: "budget",
    assistant: "bob",
    at: "2026-03-31T18:00:00Z",
    script: `
baker: The savings bank said yes. My hands are still shaking.
bob: Congratulations. How much, for how long, and what does it cost?
baker [money]: Twenty-eight thousand over seven years at 4.6 per cent, and the first six months are free of repayment.
bob [money]: So from October on it is about 424 a month. Together with your own 16,000 you have 44,000.
baker: Let us go through what is spent. I keep waking up with numbers.
bob [money]: The oven and its power feed 7,350, the floor 600, the deposit 2,760, the duct 3,900.
baker [money]: The mixer was 2,450, the proofing cabinet 1,800, and the counter from the joiner will be 4,200.
bob: That makes 23,060. With tills, lights and first goods we come to about 31,000.
baker: So thirteen thousand are left for the first months?
bob: Yes, but set three thousand of it aside as a reserve and do not look at it.
baker: The reserve stays in another account. What do I need each month to survive?
bob [money]: Rent 1,380, wages 2,900, flour and butter 3,400, energy 900, insurance 210, other things 400.
baker: That is 9,190 before I have paid myself a single bun.
bob: With 22 days of opening you need 418 a day to break even, and 500 to pay yourself a little.
baker: And 700 was what Alice had calculated for the rent to be reasonable.
bob: At 700 you can pay yourself like the hotel did. I would plan the first three months with 450.
baker [schedule]: The dealer called, by the way. The oven slips: not the 30th of March but the 20th of April.
bob: That is late. Has he put it in writing, and does he pay for the delay?
baker: He takes 300 off and says sorry a lot.
bob [money]: Then the oven costs 5,900 now. I have changed it in the plan, and the delivery to the 20th of April.
baker: I will tell Alice as soon as I dare. The opening might have to move.
bob: Tell her soon. A date is easier to move before the posters hang.
`,
  },
];
