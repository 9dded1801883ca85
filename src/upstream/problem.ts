import { Problem, type ProblemCode } from '#core/problems';
import { type FailureCause, UpstreamFailure } from './failure.ts';

/** The code and the words for each cause, after the name of who failed; no word comes from the upstream. */
const PROBLEMS: Record<FailureCause, readonly [ProblemCode, string]> = {
  unreachable: ['upstream_unavailable', 'cannot be reached'],
  timeout: ['upstream_timeout', 'did not answer in time'],
  rate_limited: ['upstream_unavailable', 'limits our rate'],
  out_of_reach: ['upstream_unavailable', 'does not reach back so far on our plan'],
  not_listed: ['upstream_unavailable', 'does not serve this'],
  refused: ['upstream_unavailable', 'refused the request'],
  server_error: ['upstream_unavailable', 'has a fault'],
  not_json: ['upstream_invalid', 'gave no JSON'],
  unexpected: ['upstream_invalid', 'gave an answer of another shape'],
  empty: ['upstream_invalid', 'gave an answer without figures'],
  too_large: ['upstream_invalid', 'gave an answer too large to read'],
  stale: ['upstream_invalid', 'gave old figures alone'],
  resting: ['upstream_unavailable', 'failed repeatedly and is not asked again yet'],
  over_budget: ['upstream_unavailable', 'has no calls left in its budget'],
};

/** What happened, after the name of who failed: `cannot be reached`. */
export const causeInWords = (cause: FailureCause): string => PROBLEMS[cause][1];

/** Seconds after which a repeat is worth a try, where the upstream did not say. */
const RETRY_AFTER = 30;

type Options = {
  /** Who failed, as the subject of a sentence. */
  who?: string;
  members?: { gaps?: string[] };
};

/** The problem for a failure of an upstream when nothing is stored to serve; any other error goes on as it is. */
export function upstreamProblem(failure: unknown, { who = 'The aggregator', members = {} }: Options = {}) {
  if (!(failure instanceof UpstreamFailure)) return failure;
  const [code, what] = PROBLEMS[failure.reason];
  const retryAfter = failure.retryAfter ?? RETRY_AFTER;
  const detail = `${who} ${what}, and nothing is stored to serve.`;
  return new Problem(code, detail, { cause: failure, members, retryAfter });
}
