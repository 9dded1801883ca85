import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Instant } from '#core/clock';
import type { ProblemCode } from '#core/problems';

/** A call that was paid for. */
export type Receipt = { readonly cost: number };

declare module 'fastify' {
  interface FastifyRequest {
    /** The record number of the user who calls: there on every route that is not open. */
    user: number;
    receipt: Receipt | undefined;
  }
}

/** What the server asks of the gate that every request passes: `accounts/gate` implements it. */
export type Gate = {
  /** Admits and charges a request; undefined where that has to wait or is refused: then nothing has happened. */
  admitAtOnce(
    request: IncomingMessage,
    scope: WantedScope,
    cost: number,
    now: Instant,
  ): { user: number; receipt: Receipt } | undefined;

  /** Commits or refunds the charge of a call, and gives the headers that tell what is left, as a flat list. */
  settle(receipt: Receipt, isPaid: boolean, now: number): string[];

  /** The headers of a refusal with 429: the limits of the user who calls; none where no user is known. */
  limitsOf(request: FastifyRequest, code: ProblemCode, now: number): Record<string, string>;
};

/** What a key may be used for. */
export type Scope = 'account' | 'prices' | 'node';

/** What a route wants of a key: a scope, or any key will do. */
export type WantedScope = Scope | 'any';

type Header = 'Age' | 'ETag' | 'Link' | 'Quotient-Currency' | 'Quotient-Gaps' | 'Quotient-Source' | 'Vary';

/** What a route says of itself in its `config`. */
export type RouteFacts = {
  /** Needs no key. */
  open?: true;
  /** Calls charged for an answer with 2xx; where that depends on what is asked for, by its parameters as they are parsed. */
  cost?: number | ((query: never) => number);
  /** Gives CSV beside JSON. */
  csv?: true;
  /** How its cost follows from what is asked for, in words. */
  price?: string;
  /** What a key must be allowed to be used for; every route that needs a key says it. */
  scope?: WantedScope;
  /** Serves the keys of a user whose term is over too. */
  allowExpired?: true;
  /** The parameter `api` may be the key, in place of the headers. */
  keyInQuery?: true;
  /** No page of another site may ask for it, unless its origin is allowed. */
  sameSite?: true;
  /** Registers a user, which the operator may have closed. */
  registers?: true;
  /** Not there where the service sends no mail. */
  needsMail?: true;
  /** An address may make so few calls of this kind in a minute: what they are, in the plural. */
  perClient?: string;
  /** The headers of an answer with 2xx or 304, beyond those of every route of its price; one with a question mark may be left out. */
  headers?: readonly (Header | `${Header}?`)[];
  /** The statuses under which the node may refuse what is asked here: those of `node_rejected`. */
  rejections?: readonly number[];
  /** The problems that a caller may meet here, beyond those of every route. */
  problems?: readonly ProblemCode[];
};

declare module 'fastify' {
  interface FastifyContextConfig extends RouteFacts {}
}
