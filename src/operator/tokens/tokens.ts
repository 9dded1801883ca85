import { z } from 'zod';
import type { Catalogue } from '#catalogue/catalogue';
import type { Added, Listing } from '#catalogue/listing';
import { BUILT_IN_NAMES, type Token } from '#catalogue/token';
import type { Operator } from '#core/actor';
import { UpstreamFailure, upstreamProblem } from '#upstream/failures/failure';
import { cutPage, type PageQuery, readCursor } from '../parameters.ts';
import type { AddedToken, ServedToken } from './token-records.ts';

const position = z.tuple([z.int().nonnegative()]);

function originOf({ name, isRequested }: Token): ServedToken['origin'] {
  if (BUILT_IN_NAMES.includes(name)) return 'built_in';
  return isRequested ? 'request' : 'operator';
}

const toRecord = (token: Token): ServedToken => ({
  id: token.name,
  symbol: token.symbol,
  title: token.title,
  listed: token.listed,
  pairs: { ...token.pairs },
  successor: token.successor ?? null,
  origin: originOf(token),
});

const toAddedRecord = ({ token, isKnown, isFirstDate, pairs, meant }: Added): AddedToken => ({
  token: toRecord(token),
  isNew: !isKnown,
  isFirstDate,
  symbolOf: meant.name,
  pairs: Array.from(pairs, ([exchange, outcome]) => ({
    exchange,
    pair: token.pairs[exchange] ?? null,
    outcome: outcome.kind,
    candidate: 'pair' in outcome ? outcome.pair : null,
  })),
});

function asProblem(error: unknown): never {
  throw error instanceof UpstreamFailure ? upstreamProblem(error, { who: error.upstream }) : error;
}

type Wanted = Omit<Parameters<Listing['add']>[1], 'id'>;
type Dependencies = { catalogue: Pick<Catalogue, 'all'>; listing: Listing };

export const createTokenChanges = ({ catalogue, listing }: Dependencies) => ({
  exchanges: listing.exchanges,

  /** A page of the tokens whose ID, symbol or title contains a text. */
  list({ query = '', cursor, limit }: PageQuery & { query?: string | undefined }) {
    const [from] = readCursor(cursor, position) ?? [0];
    const text = query.toLowerCase();
    const found = catalogue
      .all()
      .filter(({ name, symbol, title }) => [name, symbol, title.toLowerCase()].some((one) => one.includes(text)));
    const { page, nextCursor } = cutPage(found.slice(from, from + limit + 1), limit, () => [from + limit]);
    return { items: page.map(toRecord), nextCursor };
  },

  find: (text: string) => listing.find(text).catch(asProblem),

  add: async (operator: Operator, id: string, wanted: Wanted): Promise<AddedToken> =>
    toAddedRecord(await listing.add(operator, { id, ...wanted }).catch(asProblem)),

  setSuccessor: (operator: Operator, id: string, successor: string | null) =>
    listing.alias(operator, id, successor ?? undefined),

  remove: listing.remove,
});

export type TokenChanges = ReturnType<typeof createTokenChanges>;
