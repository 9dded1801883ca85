import type { Operator } from '#core/actor';

/** The operator in tests that do not examine audit events. */
export const OPERATOR: Operator = { actor: 'cli:test', requestId: null };
