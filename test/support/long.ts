/** Whether the tests run in their long form (`npm run test:long`). */
export const isLong = process.env.TEST_LONG !== undefined;

/** Returns the amount of work for a test: `short` in `npm test`, `long` in `npm run test:long`. */
export const amount = (short: number, long: number): number => (isLong ? long : short);

/** The timeout of a test in ms. The long form takes minutes. */
export const longTimeout = isLong ? 1_200_000 : 90_000;
