import type { Operator } from '#core/operator';

/** The operator in tests that do not examine audit events. */
export const OPERATOR: Operator = { actor: 'cli:test', requestId: null };
