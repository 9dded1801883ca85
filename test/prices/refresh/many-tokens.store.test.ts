import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { addSandboxTokens } from '../../../fixtures/sandbox-tokens.ts';
import { openSimulation } from '../../../fixtures/simulation.ts';
import { openTestDatabase } from '../../support/database/database.ts';
import { amount } from '../../support/long.ts';

const STEP = 6 * MINUTE;
/** Each hour requests other tokens than the hour before. */
const HOURS = amount(2, 4);

/** The calls of the demo plan in the simulated time, at the month's average, and a few for the first requests. */
const CALLS = (10_000 / 31) * ((HOURS * HOUR) / DAY) + 15;

test.each([
  ['300 tokens, all requested every hour', 300, 300],
  ['600 tokens, 50 others requested every hour', 600, 50],
])(
  '%s: each price is current, within the calls of the demo plan',
  async (_what, tokens, perHour) => {
    const database = await openTestDatabase();
    const names = await addSandboxTokens(database.prisma, tokens);
    const simulation = await openSimulation({ open: async () => database, processes: 1 });
    const [process] = simulation.processes;
    for (let at = 0; at < HOURS * HOUR; at += STEP) {
      const first = (Math.floor(at / HOUR) * perHour) % tokens;
      const requested = names.slice(first, first + perHour);
      await simulation.step(STEP, () => requested.map((token) => (market) => market.latest(token)));
    }
    const { total, failures, ages } = simulation.outcome();
    const every = process?.market.staleness().find(({ kind }) => kind === 'latest')?.every ?? 0;
    expect(failures).toEqual([]);
    expect(total).toBeLessThanOrEqual(CALLS);
    // A response is built before the refresh that it starts, and the schedule varies with the calls that are left.
    expect(Math.max(...ages)).toBeLessThanOrEqual(1.1 * every + STEP);
    await simulation.close();
  },
  120_000,
);
