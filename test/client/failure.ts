import { expect } from 'vitest';
import type { QuotientError } from '../../src/client/index.ts';

/** What a call rejects with. */
export const failure = (call: Promise<unknown>): Promise<QuotientError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: QuotientError) => error,
  );
