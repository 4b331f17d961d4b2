import type { Talk } from "./talk.js";

export const COUNTER: readonly Talk[] = [
  {
    topic: "prices",
    assistant: "bob",
    at: "2026-04-11T16:30:00Z",
    script: `
baker: I have to print the price board. What does a sourdough really cost me?
bob: Flour 0.62, salt and water next to nothing, energy 0.35, wages about 1.70, the rent 0.40, bag and losses 0.25.
baker: So 3.32, and then the tax on top.
bob [money]: At 4.80 you keep about one in four. At 5.20 it is closer to one in three.
baker: The supermarket sells a loaf for 2.10. I am afraid that people will laugh at me.
bob: The supermarket thaws it. Yours is 900 grams, takes 24 hours and stays fresh for four days. Say that on the board.
baker [money]: All right, I begin with 4.80 for the first month and look at people's faces.
bob: A price is hard to raise after a month. Better the right one from the first day, and a small loaf for small purses.
baker [money]: You have convinced me. 5.20 for the large one and 3.10 for the half.
bob [money]: Noted: sourdough 5.20, half 3.10. I have crossed out the 4.80. And the buns?
baker [money]: Cardamom buns 2.60 each, six for 14.
bob: And coffee? The neighbours will ask.
baker: Only filter coffee, one size, 2.20, from a big pot. No machine that needs its own employee.
bob: Your queue will thank you. What about cards?
baker [money]: The reader costs 19 a month and 1.4 per cent of each payment.
bob: With two thirds of the sales by card that is about 150 a month. Count it as energy for the till.
baker: Some shops refuse cards below five. I find that unfriendly.
bob: It is. A bun is a fine first purchase. Leave the limit out.
baker: What do I do with what is left over at three o'clock?
bob: The rye keeps. White loaves go at half price the next morning until nine, buns to the night shelter in Mill Lane.
baker [people]: I asked, and they can send someone. A volunteer from the shelter comes by bicycle.
bob: Then nothing is thrown away. I put that on the board, too, people like to know it.
`,
  },
  {
    topic: "test-bake",
    assistant: "bob",
    at: "2026-04-23T05:50:00Z",
    script: `
baker: It is here, it is hot, and I have flour in my ears. First real batch this morning!
bob: How does it look?
baker: The top deck is perfect. In the middle the loaves at the back on the left are nearly black.
bob: Measure again there. A bent rod would show as a stripe, a leaking door as a corner.
baker [equipment]: The corner by the door hinge is forty degrees hotter... no, wait, colder. It is the back that is too hot.
bob: So the cold corner at the door makes the thermostat heat more. Change the seal, then the back will calm down.
baker [equipment]: The fitter has a seal in his van. Twelve minutes and 35 from the cash box.
bob: And the crust, apart from that?
baker: Pale and dull on the bottom deck. It looks like a loaf that has seen a ghost.
bob: That is missing steam. How long do you let it in, and when do you open the vent?
baker [recipe]: Ten seconds at the start, and I open after twelve minutes.
bob: Give it twenty seconds, and keep it shut for eighteen minutes. Gloss comes from starch that stays wet.
baker [recipe]: Second batch: twenty seconds and eighteen minutes. They shine like chestnuts!
bob: Then that is the rule for the bottom deck. What temperature?
baker [recipe]: 245 going in, and down to 215 after the vent is opened. Thirty-eight minutes in all.
bob: Noted. How much of the batch can be sold?
baker: Of forty-five loaves, thirty-nine. Six went to the neighbours, who did not complain.
bob: Thirteen per cent lost on a first day is good. After a week it should be below four.
baker [people]: The night baker found out that the sesame jar stood above the bun dough. It was one tilt away from a disaster.
bob: Move everything with sesame or nuts to one low shelf with a red label, and write it on the allergen sheet.
baker: Done. She painted the label herself, with a squirrel on it.
bob: A squirrel is clear in every language. Now go home and sleep, the dough for tomorrow needs you at two.
`,
  },
];
