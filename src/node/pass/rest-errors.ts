import type { Problem } from '#core/problems';

/** The gRPC codes of HTTP statuses. */
const CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 413: 8, 429: 8, 501: 12, 503: 14, 504: 4 };
const INVALID_ARGUMENT = 3;
const INTERNAL = 13;

/** Clients of the gateway treat a 404 as an account or a transaction that does not exist. */
function statusOf({ status, code }: Problem): number {
  if (status !== 404) return status;
  return code === 'node_rejected' ? 400 : 501;
}

/** The text of a problem, with the hash of the transaction that it concerns. */
export const problemText = ({ message, members: { error, txhash } }: Problem): string =>
  `${error ?? message}${txhash === undefined ? '' : ` txhash: ${txhash}`}`;

/** A problem in the form of the gateway. */
export function gatewayError(problem: Problem): { status: number; body: string } {
  const status = statusOf(problem);
  const code = CODES[status] ?? (status >= 500 ? INTERNAL : INVALID_ARGUMENT);
  return { status, body: JSON.stringify({ code, message: problemText(problem), details: [] }) };
}
