import { expect } from 'vitest';
import type { QuotientError } from '#client/index';

/** Returns the error of a call that must reject. */
export const failure = (call: Promise<unknown>): Promise<QuotientError> =>
  call.then(
    () => expect.fail('the call did not fail'),
    (error: QuotientError) => error,
  );
