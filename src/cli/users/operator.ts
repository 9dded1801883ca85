import { userInfo } from 'node:os';
import type { Operator } from '#core/actor';

const MAX_NAME = 64;

/** The system user. A user without an entry in the system's list, as in some containers, has only a number. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

export const cliOperator = (): Operator => ({
  actor: `cli:${systemUser()
    .replace(/[^\w.@\\-]/g, '_')
    .slice(0, MAX_NAME)}`,
  requestId: null,
});
