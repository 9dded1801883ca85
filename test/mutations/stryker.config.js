import { ROOMS } from './rooms.ts';

const room = ROOMS[process.env.MUTATION_ROOM];
const files = process.env.MUTATION_FILES?.split(' ') ?? [`src/${room}/**/*.ts`];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: files,
  testRunner: 'vitest',
  plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
  vitest: { configFile: 'test/mutations/vitest.config.ts', related: true },
  // TypeScript 7 has no compiler API, with which Stryker would rewrite this file.
  tsconfigFile: 'none.json',
  coverageAnalysis: 'perTest',
  // Each mutant of code that runs at import needs all tests: 13 % of the mutants took 95 % of the time.
  ignoreStatic: true,
  ignorePatterns: ['/bench', '/build', '/data', '/dist', '/docs', '/ops', '/test/outside', '/.ci'],
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false },
  concurrency: 2,
};
