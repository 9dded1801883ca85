import type { Fault } from '#sandbox/faults';

const state = (...error: string[]): Extract<Fault, { kind: 'status' }> => ({
  kind: 'status',
  status: 200,
  body: { error },
});

/** The errors with which Kraken reports its own state (docs.kraken.com/api, error messages), with HTTP 200. */
export const KRAKEN_STATES = {
  unavailable: state('EService:Unavailable'),
  busy: state('EService:Busy'),
  deadline: state('EService:Deadline elapsed'),
  internalError: state('EGeneral:Internal error'),
  tooManyRequests: state('EGeneral:Too many requests'),
  lockout: state('EGeneral:Temporary lockout'),
  rateLimit: state('EAPI:Rate limit exceeded'),
} satisfies Record<string, Fault>;
