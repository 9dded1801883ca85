import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { faultsOf, loadParser } from './sql-subset.ts';

/**
 * Set up for the tests on a server: every statement that the service's own connections send is parsed, and refused where
 * it is not of the subset. Connections of tests have no such name, and may do as they like.
 */

const OURS = 'quotient';

/** Texts that were checked, in any file of this worker: most are the same each time. */
const checked = new Set<string>();
const sent = new Set<string>();

type Query = (query: unknown, ...rest: unknown[]) => unknown;
type Patched = { query: Query; isWatched?: boolean };

const prototype = pg.Client.prototype as unknown as Patched;
if (!prototype.isWatched) {
  const { query } = prototype;
  prototype.isWatched = true;
  prototype.query = function (this: pg.Client, given: unknown, ...rest: unknown[]) {
    const { connectionParameters } = this as unknown as {
      connectionParameters: { application_name?: string };
    };
    const text = typeof given === 'string' ? given : (given as { text?: string }).text;
    if (text && connectionParameters.application_name?.startsWith(OURS) && !checked.has(text)) sent.add(text);
    return query.call(this, given, ...rest);
  };
}

beforeAll(loadParser);
afterAll(() => {
  const refused: Record<string, string[]> = {};
  for (const text of sent) {
    checked.add(text);
    const faults = faultsOf(text);
    if (faults.length > 0) refused[text] = faults;
  }
  sent.clear();
  expect(refused, 'what the service sends is in the subset').toEqual({});
});
