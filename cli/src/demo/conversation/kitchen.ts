import type { Talk } from "./talk.js";

export const KITCHEN: readonly Talk[] = [
  {
    topic: "oven",
    assistant: "bob",
    at: "2026-03-04T19:40:00Z",
    script: `
baker: I need an oven, and I have read so much about them that I dream of thermostats.
bob: Then let us narrow it down. What will you bake most: crusty loaves or pastry?
baker: Two thirds bread, one third buns and pastry.
bob: For hearth bread a deck oven with stone plates is the better friend. Convection dries the crust too early.
baker: The hotel had convection and I fought with it every morning. How many decks?
bob: Three decks of eighty by a hundred and twenty take about forty-five loaves at a time. Four batches make your day.
baker [money]: New ones begin at eleven thousand. That is a third of everything I have.
bob: Look at used ones. Stone and steel do not age; the heating rods and the door seals do.
baker: A pizzeria in the next town closed in January. They have a deck oven from 2019 with steam.
bob: What do they want for it, and can you see it hot?
baker [money]: 6,200 with delivery. They would heat it up for me on Friday.
bob: Take an infrared thermometer and measure nine points of each plate. More than twenty degrees apart means tired rods.
baker: I did it today. Top and middle deck within eight degrees, the bottom within fifteen.
bob [equipment]: That is healthy. How much power does it draw?
baker [equipment]: Nineteen kilowatts, three-phase. The shop has only a single-phase connection with sixty-three amperes.
bob: Then the electrician must bring a new feed from the street. Ask for a quote before you pay anything.
baker [money]: He says 1,150 including the cabinet, and the network company needs ten working days.
bob: Together that is 7,350, still well below a new one. When would it be delivered?
baker [schedule]: On the 30th of March. Four strong men and a pallet truck, the dealer promised.
bob: Measure the door, please. It comes in at one metre four, and Tanner Street has an old frame.
baker: One metre and nine. I measured it twice and then once more with the landlord's tape.
bob: Then buy it. I note: three-deck stone oven, 6,200, delivery on the 30th of March.
`,
  },
  {
    topic: "recipes",
    assistant: "bob",
    at: "2026-03-22T09:15:00Z",
    script: `
baker: Sunday morning, flour everywhere. Today I want to settle the recipe of the house sourdough.
bob: Very well. What did you bake last, and what did not please you?
baker [recipe]: Seventy-eight per cent water. A lovely crumb, but it runs apart like a pancake when I turn it out.
bob: Your flour is softer than the one from the hotel. Try seventy-four and fold it once more.
baker [recipe]: I did. At seventy-four it stands up, and the ear opens. I will stay there.
bob: Noted: 74 per cent water, four folds. How long does it rest?
baker: Three hours in the bowl and then fourteen in the cold at five degrees.
bob: Good for you: the long night in the fridge means that you shape in the afternoon and bake before dawn.
baker: My starter is eleven years old, by the way. I brought it home from a course in Ghent.
bob: How do you feed it?
baker [recipe]: One part starter, two parts water, two parts flour, half of it whole rye. Twice a day when it is warm.
bob: Keep a dried portion of it in a jar at home. A bakery without a spare starter is one broken jar from closing.
baker: Oh. I have never done that. I will spread some on baking paper tonight.
bob: And the second bread?
baker [recipe]: A dark rye with caraway, baked in tins, one kilo each. It needs a day before it can be cut.
bob: So it is baked on the day before and sold with yesterday's date. Write that on the shelf, or people will think it is old.
baker [recipe]: And the cardamom buns: brown butter in the dough and pearl sugar on top, no icing.
bob: How much cardamom?
baker: Twelve grams for a kilo of flour, crushed that morning. Ground from a packet tastes of cupboard.
bob: Then you need a small mill that is used for nothing else, because of the smell.
baker: I have my grandmother's coffee mill. It will get a second life.
bob: I have noted three recipes. Do you want a fourth for people who cannot eat gluten?
baker: Not in this kitchen, there is flour in the air. I would rather be honest about it.
bob: That is a clear line. It belongs on the allergen sheet as the first sentence.
`,
  },
];
