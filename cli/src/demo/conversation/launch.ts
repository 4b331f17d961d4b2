import type { Talk } from "./talk.js";

export const LAUNCH: readonly Talk[] = [
  {
    topic: "delay",
    assistant: "alice",
    at: "2026-04-08T21:00:00Z",
    script: `
baker: Bad news. The oven will not be here before the 20th of April.
alice: So five days before the opening, without one test bake. What happened?
baker [equipment]: The dealer dropped the stone plates while loading. New ones have to come from Austria.
alice: Could you open with bread from somewhere else for a week?
baker: Never. People remember the first loaf. I would rather wait.
alice: Then we need a new date. The oven on the 20th, two weeks to learn it: what about Saturday the 9th of May?
baker [schedule]: The 9th of May. Yes. Please change it everywhere, the 25th of April is off.
alice [schedule]: Done. The opening is now on Saturday the 9th of May. It is a market day too, I checked.
baker: What about the inspection? The inspector cannot look at an oven that is not there.
alice: I called her office. She could come on the 28th of April in the early afternoon instead.
baker [schedule]: Good, the 28th then. At two?
alice: At a quarter past two. She asks you to have the oven running, because she measures the temperature of the wall.
baker: And the posters? The printer has already made three hundred with the old date.
alice: He offers stickers in copper colour with the new one for 40. It looks as if it were meant that way.
baker [money]: Forty is fine. I cried about the posters more than about the oven.
alice: You have been up since four. Does the night baker know?
baker [people]: She is relieved, to be honest. Now she has her first shift with a cold oven and a cup of tea.
alice: And the apprentice wanted to practise the till. He could do that at the market with biscuits, under the hotel's licence.
baker: That is clever. Let us take the stall on the 18th and hand out little bags with the new date on them.
alice: I will ask the market office for a place near the fountain.
baker: What does the delay cost me, roughly?
alice [money]: Two weeks of rent and wages without sales, about 2,100. Your reserve covers it, with 900 to spare.
`,
  },
  {
    topic: "opening-day",
    assistant: "alice",
    at: "2026-04-29T18:20:00Z",
    script: `
baker: We passed! The inspector gave us five out of five and asked for the recipe of the buns.
alice: Wonderful. Did she find anything at all?
baker: The thermometer in the small fridge was upside down. That was all.
alice: Then let us plan the ninth of May hour by hour. Who unlocks?
baker: The night baker and I, at one in the night. The first loaves go in at half past three.
alice: The apprentice arrives at six, sets up the counter and counts the cash float. How much change do you want in it?
baker [money]: A hundred and fifty in coins and small notes. The old postman always pays with a fifty.
alice: And the first customers? You spoke of a gift.
baker: The first hundred get a cardamom bun for free. The school choir sings at ten, on the bus bench.
alice: Somebody should tell the bus company. What if it rains?
baker [equipment]: The landlord lends us the tent from his bee-keeping days. It smells of honey, which is not bad at all.
alice: How many loaves do we bake for such a day?
baker: A hundred and eighty sourdough, sixty rye, two hundred buns and a tray of doughnuts.
alice: Leave forty loaves for after eleven. Nothing looks sadder than an empty shelf at noon on the first day.
baker [people]: My sister takes photographs. She wants everybody to wear the dark aprons.
alice: They come from the laundry on Thursday. Do you want to say a few words?
baker: Two sentences, no more. Thank you, and please bring your own bags.
alice: I will remind you of them at five to seven. And afterwards?
baker [private]: I have to be gone by four. My mother is in hospital for her hip, but please do not keep that.
alice: Understood, I keep only that you leave at four and that the night baker closes the shop.
baker: If we sell out, we put a chair outside and celebrate with the neighbours.
alice: Then that is the plan. Sleep well. Ten more nights.
`,
  },
];
