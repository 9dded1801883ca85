import { expect } from 'vitest';
import type { QuotientError } from '#client/index';

/** What a call rejects with. */
export const failure = (call: Promise<unknown>): Promise<QuotientError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: QuotientError) => error,
  );
