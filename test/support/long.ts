/** Whether `npm run test:long` asked for the long form of those tests that have one. */
export const isLong = process.env.TEST_LONG !== undefined;

/** How much of something a test does: so much in `npm test`, and so much more in `npm run test:long`. */
export const amount = (short: number, long: number): number => (isLong ? long : short);

/** A test's time, in ms: the long form takes minutes. */
export const longTimeout = isLong ? 1_200_000 : 90_000;
