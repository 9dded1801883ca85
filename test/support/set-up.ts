import fc from 'fast-check';
import { beforeEach, vi } from 'vitest';
import { isLong } from './long.ts';

/** The time limit of a property in ms, below every test's timeout, so that a property reports its counterexample. */
const PROPERTY_MS = isLong ? 900_000 : 50_000;

fc.configureGlobal({ interruptAfterTimeLimit: PROPERTY_MS, markInterruptAsFailure: true });

// The pause before a retry is random up to a limit. Here it is zero, so that no test waits for it.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
