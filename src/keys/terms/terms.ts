import type { Clock } from '#core/clock';
import { invalidRequest } from '#core/problems';
import { allowedOrigins } from './allowed-origins.ts';
import { dailyLimit } from './daily-limit.ts';
import { expiresAt } from './expires-at.ts';
import { scopes } from './scopes.ts';
import type { WantedUse } from './term.ts';
import { url } from './url.ts';

/** The terms in the order of their members in requests and responses. */
const TERMS = { scopes, expiresAt, dailyLimit, allowedOrigins, url };

type Terms = typeof TERMS;
type TermName = keyof Terms;
/** The values of all terms. A value is null if the key does not have the term. */
export type TermValues = { [Name in TermName]: ReturnType<Terms[Name]['fromRow']> };
type TermRows = { [Name in TermName]: Parameters<Terms[Name]['fromRow']>[0] };
/** The terms of a cached key. A term is undefined if the key does not have it. */
export type HeldTerms = {
  [Name in TermName]: NonNullable<TermValues[Name]> | (null extends TermValues[Name] ? undefined : never);
};

/** A term whose values come from the member with the term's own name. */
type AnyTerm = { [Member in keyof Terms[TermName]]: Terms[TermName][Member] } & {
  fromRow: (row: unknown) => unknown;
  toRow: (value: unknown) => unknown;
  toRecord: (value: unknown) => unknown;
  toText: (value: unknown) => string;
  permits?: (value: unknown, use: WantedUse) => boolean;
  problem?: (value: unknown, use: WantedUse) => Error;
};
const ALL = Object.entries(TERMS) as unknown as [TermName, AnyTerm][];

export const TERM_NAMES = ALL.map(([name]) => name);

const mapTerms = <Mapped>(map: (term: AnyTerm, name: TermName) => unknown): Mapped =>
  Object.fromEntries(ALL.map(([name, term]) => [name, map(term, name)])) as Mapped;

export const recordShape = mapTerms<{ [Name in TermName]: Terms[Name]['record'] }>(({ record }) => record);
export const parameterShape = (clock: Clock) =>
  mapTerms<{ [Name in TermName]: ReturnType<Terms[Name]['parameter']> }>(({ parameter }) => parameter(clock));
export const memberShape = (clock: Clock) =>
  mapTerms<{ [Name in TermName]: ReturnType<Terms[Name]['member']> }>(({ member }) => member(clock));

/** The columns under the names of Prisma's model, as a SQL list. */
export const TERM_COLUMNS = ALL.map(([name, { column }]) => `${column} AS "${name}"`).join(', ');

export const termsOfRow = (row: TermRows) => mapTerms<TermValues>(({ fromRow }, name) => fromRow(row[name]));
export const heldTerms = (row: TermRows) => mapTerms<HeldTerms>(({ fromRow }, name) => fromRow(row[name]) ?? undefined);
export const termsToRecord = (values: TermValues) =>
  mapTerms<{ [Name in TermName]: ReturnType<Terms[Name]['toRecord']> }>(({ toRecord }, name) => toRecord(values[name]));
/** The terms of a new key from its parsed parameters. */
export const termsOfParameters = (given: { [Name in TermName]?: TermValues[Name] | undefined }) =>
  mapTerms<TermValues>(({ none }, name) => given[name] ?? none);

type Given = { [Name in TermName]?: TermValues[Name] | undefined };
type Texts = Partial<Record<TermName, string>>;

function convertGiven<Converted>(given: Given, convert: (term: AnyTerm, value: unknown) => unknown): Converted {
  const present = ALL.filter(([name]) => given[name] !== undefined);
  return Object.fromEntries(present.map(([name, term]) => [name, convert(term, given[name])])) as Converted;
}

export const termsToRow = <Changes extends Given>(changes: Changes) =>
  convertGiven<{
    [Name in TermName as Changes[Name] extends undefined ? never : Name]: ReturnType<Terms[Name]['toRow']>;
  }>(changes, ({ toRow }, value) => toRow(value));

/** The given terms as texts of parameters. Null equals absent. */
export const termsToTexts = (given: { [Name in TermName]?: TermValues[Name] | null | undefined }): Texts =>
  convertGiven<Texts>(
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
    ({ toText }, value) => toText(value),
  );

/** Throws `invalid_request` for terms that cannot be changed. An owner key has all scopes, and can be used from everywhere. */
export function assertChangeable(changes: Given, isOwner: boolean): void {
  const faults = ALL.filter(([name]) => changes[name] !== undefined)
    .filter(([, { changeable }]) => changeable === 'never' || (isOwner && changeable === 'not for owners'))
    .map(([name]) => ({
      location: `body.${name}`,
      message: `cannot be changed for ${isOwner ? 'an owner key' : 'this key'}`,
      fix: 'leave it out, or create another key',
    }));
  if (faults.length > 0) throw invalidRequest(...faults);
}

/** Throws `invalid_request` if a term is missing that another term requires. `place` is the part of the request. */
export function assertComplete(terms: TermValues, place: 'query' | 'body'): void {
  for (const [name, { requires, none }] of ALL) {
    if (requires === undefined || terms[name] === none || terms[requires as TermName] !== null) continue;
    const fault = { message: `is required for a key with ${name}`, fix: 'send a value' };
    throw invalidRequest({ location: `${place}.${requires}`, ...fault });
  }
}

/** The terms with a check. The place of the key and the origin of the request are checked before the scope. */
const CHECKED = ALL.filter(([, { permits }]) => permits !== undefined).reverse();

const isPermitted = (held: HeldTerms, [name, { permits }]: [TermName, AnyTerm], use: WantedUse): boolean =>
  held[name] === undefined || permits?.(held[name], use) !== false;

export function mayUse(held: HeldTerms, use: WantedUse): boolean {
  for (const checked of CHECKED) if (!isPermitted(held, checked, use)) return false;
  return true;
}

/** Throws `origin_not_allowed` and `scope_missing`. */
export function assertMayUse(held: HeldTerms, use: WantedUse): void {
  for (const checked of CHECKED) {
    if (!isPermitted(held, checked, use)) throw checked[1].problem?.(held[checked[0]], use);
  }
}
