import { MINUTE } from '#core/clock';
import { type Figure, quantile, seen } from '../measuring/table.ts';

/** Prints the number of responses, and the first failures. */
export function printResponses(name: string, responses: number, failures: readonly unknown[]): void {
  console.error(`${name}: ${responses} responses, ${failures.length} failures ${failures.slice(0, 3).join('; ')}`);
}

/** @param ages the ages of the responses, in ms */
export function agesOf(name: string, ages: readonly number[]): Figure {
  const parts = [0.5, 0.9, 1 - 1 / ages.length];
  const minutes = parts.map((part) => `${(quantile(ages, part) / MINUTE).toFixed(0)} min`);
  return seen(`${name}: age of a response, median, p90, maximum`, minutes.join(', '));
}
