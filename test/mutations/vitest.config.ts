import { defineConfig } from 'vitest/config';
import { ROOMS } from './rooms.ts';

/* Stryker needs one project, threads and isolated files. */

const room = ROOMS[process.env.MUTATION_ROOM as keyof typeof ROOMS];

process.env.LC_ALL = 'C.UTF-8';
process.env.TZ = 'America/St_Johns';

export default defineConfig({
  test: {
    include: [`test/${room}/**/*.test.ts`],
    exclude: ['test/**/*.{store,server,browser}.test.ts'],
    setupFiles: 'test/support/set-up.ts',
    isolate: true,
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 60_000,
  },
});
