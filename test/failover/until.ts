import { vi } from 'vitest';

const POLL = 100;

/** Waits until a check returns a value other than `undefined` or `false`. A check that throws is repeated. */
export const until = <Value>(
  event: string,
  check: () => Promise<Value | undefined | false> | Value | undefined | false,
  timeout: number,
): Promise<Value> =>
  vi.waitFor(
    async () => {
      const value = await check();
      if (value === undefined || value === false) throw new Error(`not within ${timeout} ms: ${event}`);
      return value;
    },
    { timeout, interval: POLL },
  );
