import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Clock } from '#core/clock';
import type { Problem } from '#core/problems';
import type { RequestHead } from '#server/connections/request-head';
import type { WantedScope } from '#server/gate';
import { keyInUrl } from '#server/url-key';

export type PageHeaders = Pick<IncomingHttpHeaders, 'origin' | 'host' | 'sec-fetch-site'>;

export type WantedUse = { scope: WantedScope; headers: PageHeaders; isInUrl: boolean };

/** The facts about a request that terms check. */
export const useOf = (request: Pick<RequestHead, 'headers'>, scope: WantedScope): WantedUse => ({
  scope,
  headers: request.headers,
  isInUrl: keyInUrl(request) !== undefined,
});

/** A limit on the use of a key: a member of the same name in Prisma's model, in requests and in responses. */
export type Term<Value, Row, Written, Parameter extends z.ZodType, Member extends z.ZodType> = {
  /** The column, as a SQL expression over `k`. */
  column: string;
  fromRow: (row: Row) => Value;
  toRow: (value: Value) => Row;
  record: z.ZodType<Written>;
  toRecord: (value: Value) => Written;
  /** The parameter with which a key is created. If it is omitted, the key has the value `none`. */
  parameter: (clock: Clock) => Parameter;
  none: Value;
  member: (clock: Clock) => Member;
  /** The value of a member as the text of the parameter. */
  toText: (value: NonNullable<Value>) => string;
  /** The keys whose term can be changed. An owner key never has a value that it cannot be changed to. */
  changeable: 'always' | 'not for owners' | 'never';
  /** Another term that is required if the value of this term is not `none`. */
  requires?: string;
  /** Whether a value permits a use. Terms without this check are enforced with a count or a time. */
  permits?: (value: NonNullable<Value>, use: WantedUse) => boolean;
  problem?: (value: NonNullable<Value>, use: WantedUse) => Problem;
};

/** The forms of a term whose value is a list: a text with commas, and a JSON list. `read` adds issues to the context. */
export const listForms = <Value>(
  read: (items: readonly string[], context: z.RefinementCtx) => Value,
  example: readonly string[],
) => ({
  text: z.string().transform((text, context) =>
    read(
      text.split(',').map((item) => item.trim()),
      context,
    ),
  ),
  list: z
    .array(z.string('must contain only text'), 'must be a list')
    .meta({ examples: [example] })
    .transform(read),
});

export const term = <Value, Row, Written, Parameter extends z.ZodType, Member extends z.ZodType>(
  one: Term<Value, Row, Written, Parameter, Member>,
) => one;
