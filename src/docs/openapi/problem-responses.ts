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
/** A key of a user: any one of the alternatives suffices. */
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

/** The problem codes of a route, in the order of `PROBLEM_CODES`. */
function codesOf(facts: RouteFacts, access: Access): ProblemCode[] {
  const { open, cost, scope = 'any', problems = [] } = facts;
  const possible = new Set<ProblemCode>([...ANYWHERE, ...(open ? [] : access.problems), ...problems]);
  if (scope !== 'any') possible.add('scope_missing');
  if (cost) for (const code of ['quota_exceeded', 'key_limit_exceeded'] as const) possible.add(code);
  if (facts.sameSite) possible.add('cross_site');
  if (facts.registers) possible.add('registration_closed');
  if (facts.needsMail) possible.add('mail_not_configured');
  if (facts.perClient) possible.add('rate_limited');
  if (facts.allowSuspended) possible.delete('account_suspended');
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

export function problemResponses(facts: RouteFacts, context: Context): Record<string, Ref> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codesOf(facts, context.access)) {
    const statuses = code === 'node_rejected' ? (facts.rejections ?? []) : [problemKind(code).status];
    for (const status of statuses) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const isPriced = Boolean(facts.cost);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, problemResponse(status, codes, isPriced, context)]),
  );
}
