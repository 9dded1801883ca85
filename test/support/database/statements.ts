import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { faultsOf, loadParser } from './sql-subset.ts';

/**
 * Setup of the server project: every statement on the service's own connections is parsed, and rejected if it is
 * outside the subset. Connections of tests have another name, and are not restricted.
 */

const OURS = 'quotient';

/** Statements that any file of this worker has checked. Most statements are the same each time. */
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
  expect(refused, "the service's statements are in the subset").toEqual({});
});
