import type { FastifyRequest } from 'fastify';
import type { Instant } from '#core/clock';
import type { ProblemCode } from '#core/problems';
import type { RequestHead } from '#server/connections/request-head';

/** The numbers of the paths of charged calls, by which the usage is broken down. */
export type UsagePath = number;

/** Opens one stream without a key in a header. `expiresAt` is ISO 8601. */
export type Ticket = { ticket: string; expiresAt: string };

/** An admitted request, while its response lasts. */
export type Admission = {
  /** Throws the problem of a key that has ended, has lost the route's scope, or can no longer be used from its page. */
  check(now: Instant): void | Promise<void>;
  /** Charges further calls. Throws `quota_exceeded`. If `isWanted` then returns false, the calls are refunded. */
  charge(calls: number, isWanted: () => boolean): Promise<void>;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The user's record number. Set on every route that requires a key. */
    user: number;
    /** The ID of the key. Undefined if the request has no valid key. */
    keyId: number | undefined;
    /** The code of the problem with which the service responds. */
    problem: ProblemCode | undefined;
    problemDetail: string | undefined;
    /** The name of a call that the route passes on: the route's pattern with a name from a fixed list. */
    passedCall: string | undefined;
  }
}

/** A response to a request with a user's key, as the user's request log lists it. `at` is in Unix ms. */
export type ListedRequest = {
  /** The time of the response. */
  readonly at: number;
  readonly keyId: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: ProblemCode | undefined;
  readonly detail: string | undefined;
  readonly cost: number;
  readonly ms: number;
};

/** A request after its response, before the user's request log decides whether to list it. */
export type EndedRequest = Omit<ListedRequest, 'keyId' | 'path'> & {
  readonly user: number | undefined;
  /** Undefined for a request that no user's log lists. */
  readonly keyId: number | undefined;
  readonly raw: RequestHead;
  /** The route's pattern, or the name of the call that the route passes on. */
  readonly route: string | undefined;
  readonly config: RouteFacts;
};

type UserRequestLog = { note(request: EndedRequest): void };

/** The configuration that the gate reads from a route whose calls are charged. */
export type ChargedRoute = { scope: WantedScope; usagePath: UsagePath; coinGeckoKeys: true | undefined };

/** Charges requests. `gate/admission.ts` implements it, and is the only reader of receipts, which identify charges. */
export type Gate<Receipt = unknown> = {
  /** Charges a request. Returns undefined, without any effect, if the request must wait or be rejected. */
  admitAtOnce(
    request: RequestHead,
    route: ChargedRoute,
    cost: number,
    now: Instant,
  ): { user: number; keyId: number; receipt: Receipt } | undefined;

  /**
   * Charges a request. The charge is refunded when the response ends, unless it is 2xx and delivered. Waits only if
   * there is no usable lease. Throws `quota_exceeded`.
   */
  charge(request: FastifyRequest, calls: number): Promise<void> | undefined;
  /** Counts a free request to the node toward the daily limit of a URL key. Throws `key_limit_exceeded`. */
  countNodeRequest(request: FastifyRequest): Promise<void> | undefined;
  /** Takes the receipt of a request, so that its charge is booked only once. */
  takeReceipt(request: FastifyRequest): Receipt | undefined;
  /** Books or refunds a charge. Returns the rate-limit headers as a flat list. */
  book(receipt: Receipt, isPaid: boolean, now: number): string[];
  /** Refunds a charge before the response, for a failure that the protocol reports in a 2xx response. */
  refund(request: FastifyRequest): void;
  /** The calls that a receipt charges: 0 after a refund. */
  costOf(receipt: Receipt): number;
  /** Like `costOf`, but for a request, even after its receipt has been taken. */
  costOfRequest(request: FastifyRequest): number;

  /** Returns the admission with which a long-lasting response is checked and charged. */
  hold(request: FastifyRequest): Admission;
  issueTicket(request: FastifyRequest): Promise<Ticket>;

  /** The headers of a 429. Empty if the user is unknown. */
  limitsOf(request: FastifyRequest, code: ProblemCode, now: number): Record<string, string>;
  /** The remaining calls of the request's user, without a statement if this process holds a lease. */
  remaining(request: FastifyRequest): number | Promise<number>;

  hasScope(request: FastifyRequest, scope: WantedScope): boolean;
  /** Throws `scope_missing`. */
  requireScope(request: FastifyRequest, scope: WantedScope): void;

  /** Counts further calls of a request toward its limits. Throws `rate_limited` (none counts), `key_limit_exceeded`. */
  countCalls(request: FastifyRequest, calls: number, now: number): Promise<void>;

  /** Undefined if the operator has turned the log off. */
  requestLog?: UserRequestLog | undefined;
};

export type Scope = 'account' | 'prices' | 'node';
export type WantedScope = Scope | 'any';
type Header =
  | 'Age'
  | 'Cache-Status'
  | 'ETag'
  | 'Last-Modified'
  | 'Link'
  | 'Quotient-Currency'
  | 'Quotient-Gaps'
  | 'Quotient-Source'
  | 'Quotient-Token'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'Vary';

export type RouteFacts = {
  open?: true;
  /** Calls charged for a 2xx response, or a function that computes them from the parsed parameters. */
  cost?: number | ((query: never) => number);
  csv?: true;
  /** Successful responses have no body. Set by the negotiation of the format. */
  bodyless?: true;
  /** Set by the gate for paths whose calls are charged. */
  usagePath?: UsagePath;
  /** The names of the parameters in the query. Set by the gate. */
  parameters?: ReadonlySet<string>;
  /** Successful requests are not listed in the user's request log. */
  isUnlisted?: true;
  /** How the cost depends on the parameters, in words. */
  price?: string;
  scope?: WantedScope;
  /** Also accepts the keys of a user whose plan has expired. */
  allowExpired?: true;
  /** Also accepts the keys of a suspended user. */
  allowSuspended?: true;
  /** Accepts the parameter `api` as the key, instead of the headers. */
  keyInQuery?: true;
  /** Also accepts keys in the places where CoinGecko reads them. */
  coinGeckoKeys?: true;
  /** Accepts the parameter `ticket` instead of a key. */
  ticketInQuery?: true;
  /** Responds with server-sent events, which outlast the request. */
  streams?: true;
  /** Rejects pages from other sites, unless their origin is allowed. */
  sameSite?: true;
  /** Rejects every page whose origin is neither the service's own nor allowed. */
  ownOrigin?: true;
  /** Registers a user. The operator may disable such routes. */
  registers?: true;
  needsMail?: true;
  /** Limits each address to a few of these calls per minute. The value is the name of the calls, in the plural. */
  perClient?: string;
  /** Further headers of a 2xx or 304 response. `?` marks an optional header. */
  headers?: readonly (Header | `${Header}?`)[];
  /** Statuses with which the node may reject a request. `node_rejected` passes them to the client. */
  rejections?: readonly number[];
  problems?: readonly ProblemCode[];
  /** Metrics, traces and the request log show only `passedCall`, never the path. */
  passesCalls?: true;
  /** The errors, by status, of a route whose error responses are not problems. */
  errors?: { form: string; byStatus: Readonly<Record<number, { description: string; example: object }>> };
  /** The name under which metrics count several routes together. */
  countedAs?: string;
};

declare module 'fastify' {
  interface FastifyContextConfig extends RouteFacts {}
}
