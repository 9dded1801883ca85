import { type FailureCause, UpstreamFailure } from '../domain/upstream-failure.ts';
import { Problem, type ProblemCode } from '../problems.ts';

/** What a user is told when an upstream failed and nothing is stored; the words never come from the upstream. */
const TOLD: Record<FailureCause, readonly [ProblemCode, string]> = {
  unreachable: ['upstream_unavailable', 'The aggregator cannot be reached, and nothing is stored to serve.'],
  timeout: ['upstream_timeout', 'The aggregator did not answer in time, and nothing is stored to serve.'],
  rate_limited: ['upstream_unavailable', 'The aggregator limits our rate, and nothing is stored to serve.'],
  out_of_reach: ['upstream_unavailable', "The aggregator's plan does not reach back so far."],
  refused: ['upstream_unavailable', 'The aggregator refused the request, and nothing is stored to serve.'],
  server_error: ['upstream_unavailable', 'The aggregator has a fault, and nothing is stored to serve.'],
  not_json: ['upstream_invalid', 'The aggregator gave no JSON, and nothing is stored to serve.'],
  unexpected: [
    'upstream_invalid',
    'The aggregator gave an answer of another shape, and nothing is stored to serve.',
  ],
  empty: [
    'upstream_invalid',
    'The aggregator gave an answer without figures, and nothing is stored to serve.',
  ],
  too_large: [
    'upstream_invalid',
    'The aggregator gave an answer too large to read, and nothing is stored to serve.',
  ],
  resting: [
    'upstream_unavailable',
    'The aggregator failed of late and is left alone, and nothing is stored to serve.',
  ],
  over_budget: [
    'upstream_unavailable',
    "The aggregator's budget of calls is spent, and nothing is stored to serve.",
  ],
};

/** Seconds after which a repeat is worth a try, where the upstream did not say. */
const RETRY_AFTER = 30;

/** The problem for a failure of an upstream; any other error goes on as it is. */
export function upstreamProblem(failure: unknown, members: { gaps?: string[] } = {}): unknown {
  if (!(failure instanceof UpstreamFailure)) return failure;
  const [code, detail] = TOLD[failure.reason];
  const retryAfter = failure.retryAfter ?? RETRY_AFTER;
  return new Problem(code, detail, { cause: failure, members, retryAfter });
}
