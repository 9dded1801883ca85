import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Clock } from '#core/clock';
import type { Problem } from '#core/problems';
import type { WantedScope } from '#server/gate';

/** The headers with which browsers identify the page that sends a request. */
export type PageHeaders = Pick<IncomingHttpHeaders, 'origin' | 'host' | 'sec-fetch-site'>;

/** What a request wants to use a key for. */
export type WantedUse = { scope: WantedScope; headers: PageHeaders; isInUrl: boolean };

/**
 * What limits the use of a key. Store, routes, gate and documentation iterate over the terms. A term is a member of the
 * same name in Prisma's model, in requests and in responses.
 */
export type Term<Value, Row, Written, Parameter extends z.ZodType, Member extends z.ZodType> = {
  /** The column, as a SQL expression over `k`. */
  column: string;
  fromRow: (row: Row) => Value;
  toRow: (value: Value) => Row;
  /** The member in a response. */
  record: z.ZodType<Written>;
  toRecord: (value: Value) => Written;
  /** The parameter with which a key is created. If it is omitted, the key has the value `none`. */
  parameter: (clock: Clock) => Parameter;
  none: Value;
  /** The member that changes a key. */
  member: (clock: Clock) => Member;
  /** The value of a member as the text of the parameter. */
  toText: (value: NonNullable<Value>) => string;
  /** Which keys' term can be changed. An owner key never has a value that it cannot change to. */
  changeable: 'always' | 'not for owners' | 'never';
  /** Another term that a key with a value other than `none` must have. */
  requires?: string;
  /** Whether a value permits a use. Terms without a check are checked by a count or a time. */
  permits?: (value: NonNullable<Value>, use: WantedUse) => boolean;
  problem?: (value: NonNullable<Value>, use: WantedUse) => Problem;
};

export const term = <Value, Row, Written, Parameter extends z.ZodType, Member extends z.ZodType>(
  one: Term<Value, Row, Written, Parameter, Member>,
) => one;
