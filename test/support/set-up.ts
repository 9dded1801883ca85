import fc from 'fast-check';
import { beforeEach, vi } from 'vitest';
import { isLong } from './long.ts';

/** Below every test's time-out, so that a property reports its counterexample. In ms. */
const PROPERTY_MS = isLong ? 900_000 : 50_000;

fc.configureGlobal({ interruptAfterTimeLimit: PROPERTY_MS, markInterruptAsFailure: true });

// The pause before a repeat is anything up to a bound: here nothing, so that no test waits for it.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
