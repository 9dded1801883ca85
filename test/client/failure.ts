import { expect } from 'vitest';
import type { QuotientError } from '#client/index';

/** The error with which a call rejects. */
export const failure = (call: Promise<unknown>): Promise<QuotientError> =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: QuotientError) => error,
  );
