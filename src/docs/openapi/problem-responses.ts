import { PROBLEM_CODES, type ProblemCode, problemKind } from '#core/problems';
import type { RouteFacts } from '#server/gate';
import { headersOf } from './described-headers.ts';
import type { Access, Context, Ref } from './schemas.ts';
import { problemExample } from './schemas.ts';

const ANYWHERE: ProblemCode[] = [
  'invalid_request',
  'secret_in_request',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'body_too_large',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
];
/** A user's key. Any one of these alternatives suffices. */
export const WITH_KEY: Access = {
  security: [{ ApiKey: [] }, { Bearer: [] }, { Basic: [] }],
  problems: [
    'api_key_missing',
    'api_key_invalid',
    'api_key_expired',
    'api_key_revoked',
    'account_suspended',
    'origin_not_allowed',
    'rate_limited',
    'database_unavailable',
    'overloaded',
  ],
};

function codesOf(route: RouteFacts, access: Access): ProblemCode[] {
  const { open, cost, scope = 'any', problems = [] } = route;
  const possible = new Set<ProblemCode>([...ANYWHERE, ...(open ? [] : access.problems), ...problems]);
  if (scope !== 'any') possible.add('scope_missing');
  if (scope === 'prices' || scope === 'node') possible.add('key_not_for_urls');
  // Requests to the node with a URL key are free, but count toward its daily limit.
  if (scope === 'node') possible.add('key_limit_exceeded');
  if (cost) for (const code of ['quota_exceeded', 'key_limit_exceeded'] as const) possible.add(code);
  if (route.sameSite) possible.add('cross_site');
  if (route.registers) possible.add('registration_closed');
  if (route.needsMail) possible.add('mail_not_configured');
  if (route.perClient) possible.add('rate_limited');
  if (route.allowSuspended) possible.delete('account_suspended');
  return PROBLEM_CODES.filter((code) => possible.has(code));
}

/** Declares the response once for all routes with the same status and problems. */
function problemResponse(
  status: number,
  codes: ProblemCode[],
  isPriced: boolean,
  { basePath, responses, headers, examples }: Context,
): Ref {
  const all = headersOf(status, isPriced, [], headers);
  const usual = headersOf(status, false, [], headers);
  const name = [status, ...codes, ...Object.keys(all).filter((header) => !(header in usual))].join('-');
  const exampleOf = (code: ProblemCode) => {
    const kind = problemKind(code);
    const example = { summary: kind.title, value: { ...problemExample(code, basePath), status } };
    // `node_rejected` uses the node's own status.
    if (status !== kind.status) return example;
    examples[code] ??= example;
    return { $ref: `#/components/examples/${code}` };
  };
  responses[name] ??= {
    description: codes.map((code) => `\`${code}\`: ${problemKind(code).title}`).join('; '),
    headers: all,
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
      },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

/** The problems of requests that the service rejects before it selects a route, by status. */
const BELOW_ROUTES: Readonly<Record<string, ProblemCode>> = {
  400: 'invalid_request',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'uri_too_long',
  431: 'headers_too_large',
};

/** Declares each error once for all routes whose errors have the same form. */
function ownErrors({ form, byStatus }: NonNullable<RouteFacts['errors']>, context: Context): Record<string, Ref> {
  const { basePath, responses, headers } = context;
  const declared = Object.entries(byStatus).map(([status, { description, example }]): [string, Ref] => {
    const name = `${status}-${form}`;
    const code = BELOW_ROUTES[status];
    const problem = code && {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: { ...problemExample(code, basePath), status: Number(status) },
      },
    };
    responses[name] ??= {
      description: code ? `${description}. Invalid HTTP: \`${code}\`` : description,
      headers: headersOf(Number(status), true, [], headers),
      content: { 'application/json': { schema: { type: 'object' }, example }, ...problem },
    };
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(declared);
}

export function problemResponses(route: RouteFacts, context: Context): Record<string, Ref> {
  if (route.errors) return ownErrors(route.errors, context);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codesOf(route, context.access)) {
    const statuses = code === 'node_rejected' ? (route.rejections ?? []) : [problemKind(code).status];
    for (const status of statuses) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const isPriced = Boolean(route.cost);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, problemResponse(status, codes, isPriced, context)]),
  );
}
