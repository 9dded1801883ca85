import { NodeRejection } from '../../cosmos/exchange.ts';
import { readSearch } from '../../cosmos/search.ts';
import { isTransactionHash } from '../../cosmos/transactions.ts';
import { invalid } from '../core/error.ts';
import { refusePhrase, refuseSecret } from '../core/secrets.ts';

/** Event attributes and their values, such as `{'message.sender': 'kava1…'}`, or conditions as text in `query`. */
export type TransactionFilter = { [attribute: string]: string | number | readonly string[] | undefined };
/** Pages count from 1; a page has 30 transactions by default, at most 100. */
export type Page = { page?: number | undefined; limit?: number | undefined };

const ADDRESS = /^(?=.{8,90}$)[a-z][a-z0-9_-]*1[02-9ac-hj-np-z]{6,}$/;

/** Throws `invalid_request` for what is no address. */
export function checkAddress(value: string): string {
  if (typeof value === 'string' && ADDRESS.test(value)) return value;
  refuseSecret('the address', value);
  throw invalid('not an address like kava1…');
}

/** Throws `invalid_request` for what is no hash. */
export function checkHash(value: string): string {
  if (typeof value === 'string' && isTransactionHash(value)) return value;
  refuseSecret('the hash', value);
  throw invalid('a hash has 64 hex digits');
}

/** The query of a search. Throws `invalid_request` where no node could read it. */
export function searchQuery(filter: TransactionFilter, page: Page | undefined): [string, string][] {
  const { page: number, limit } = page ?? {};
  const query = Object.entries({ page: number, limit, ...filter }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  for (const [name, value] of query) refusePhrase(`the filter's ${name}`, value);
  try {
    readSearch(query);
  } catch (error) {
    throw error instanceof NodeRejection ? invalid(error.message) : error;
  }
  return query;
}
