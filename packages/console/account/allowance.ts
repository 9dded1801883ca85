type Level = 'enough' | 'short' | 'low' | 'none';

/** Below these shares of the limit, the panel warns and changes its color. */
const LOW = 0.1;
const SHORT = 0.25;

export function levelOf(remaining: number, limit: number): Level {
  if (remaining <= 0) return 'none';
  if (remaining < LOW * limit) return 'low';
  return remaining < SHORT * limit ? 'short' : 'enough';
}

export const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  enough: '',
  short: ', less than 25%',
  low: ', less than 10%',
  none: ', calls are rejected until the reset',
};
