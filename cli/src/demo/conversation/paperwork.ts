import type { Talk } from "./talk.js";

export const PAPERWORK: readonly Talk[] = [
  {
    topic: "permits",
    assistant: "alice",
    at: "2026-03-18T20:10:00Z",
    script: `
baker: I have the keys and a headache. The town hall gave me a folder with eleven forms.
alice: Let us sort them by what can stop you from opening. Which office do they come from?
baker: Four from food safety, two from building control, one for the sign, and the rest is tax.
alice: Food safety first. The business has to be registered at least 28 days before you sell the first loaf.
baker [schedule]: I handed that in today. The stamp says the 18th of March.
alice: With the opening on the 25th of April you are ten days on the safe side. Is there an inspection?
baker [people]: Yes, the inspector knows me from the hotel. She once sent back a whole fridge there.
alice [schedule]: Did she give a date?
baker [schedule]: The 14th of April at half past nine. She wants to see the hand basin with warm water and the cleaning plan.
alice: I will draft the cleaning plan: daily, weekly and monthly jobs, with a column for initials.
baker: She also asked where the staff change their clothes. I had not thought about that at all.
alice: A curtain and three lockers in the corridor are enough for so few people. What does building control want?
baker: A drawing of the duct with the height above the neighbour's window. At least a metre and a half.
alice: The duct on the landlord's wall ends two metres above, so we are fine. Who makes the drawing?
baker [money]: The fitter does it for 220. He measured with a broomstick and a pencil.
alice: As long as the drawing has numbers on it. And the waste water?
baker [equipment]: We need a grease trap under the sink. The smallest one is sixty litres.
alice: Please choose one that can be emptied without lifting the sink out. And the sign?
baker: It may be sixty centimetres high and must not light up after ten at night.
alice: Copper letters need no light. What colour is the board behind them?
baker: Dark green. The conservation officer has a list of allowed greens, it is called number nine.
alice: Then number nine it is. I have put all eleven forms into a list with dates, and three are done already.
`,
  },
  {
    topic: "staff",
    assistant: "alice",
    at: "2026-03-27T17:45:00Z",
    script: `
baker: Fourteen people answered the notice in the window. I did not expect that.
alice: How many of them would get up at two in the morning?
baker: Three, and one of those thought that I meant the afternoon.
alice: Then you have two. Tell me about them.
baker [people]: One baked for nine years in a village shop until it closed. She folds croissants like other people fold letters.
alice: And the other one?
baker [people]: He is twenty-two, fresh from the catering college, better with guests than with dough, and he laughs a lot.
alice: That sounds like a night baker for the oven and an apprentice for the counter. When could they begin?
baker [schedule]: The apprentice at once. The night baker looks after her grandson until the school holidays are over, so from the 20th of April.
alice: That gives her five days to get to know the kitchen before you open. What did you offer?
baker [money]: Fourteen an hour for the night baker with a supplement of two, and twelve fifty for the apprentice.
alice [money]: With twenty-five hours each that is close to 2,900 a month with contributions. It fits the plan.
baker: The night baker asked whether she may bring her own rolling pin. It is made of pear wood.
alice: Write that into her contract, it will make her stay for ever.
baker: I want both of them to have Sundays and Mondays off. Nobody in the hotel ever had two days in a row.
alice: So you open from Tuesday to Saturday, seven until three. That should be on the door and on the website.
baker: And a trial shift for each of them, paid of course.
alice [schedule]: The apprentice on the 2nd of April and the night baker on the 3rd, then you can compare fresh impressions.
baker: I forgot to ask them about allergies. Can someone with hay fever work with rye?
alice: Hay fever is not flour asthma, but ask for a doctor's note. Flour dust is the bakers' most common illness.
baker: Dust masks, then, and no sweeping with a dry broom.
alice: I have added masks and a vacuum cleaner with a fine filter to the shopping list.
`,
  },
];
