/** The rooms of `npm run test:mutations -- <room>`: the sources to mutate, and the tests that run on each mutant. */
export const ROOMS = {
  ledger: 'ledger',
  gate: 'gate',
  keys: 'keys',
  series: 'prices/series',
  refresh: 'prices/refresh',
  upstream: 'upstream',
  server: 'server',
};
