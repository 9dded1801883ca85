export const AUDIT_ACTIONS = [
  'user.create',
  'user.suspend',
  'user.resume',
  'user.plan',
  'user.limit',
  'user.credits',
  'user.rotate',
  'user.renew',
  'user.revoke',
  'user.erase',
  'key.revoke',
  'message.retry',
  'announcement.set',
  'token.add',
  'token.remove',
  'token.alias',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The origin of an operator's change: the operator API, or a user of the machine who runs a command. */
export type Operator = {
  actor: 'admin' | `cli:${string}`;
  /** The ID of the request; null for a command. */
  requestId: string | null;
};

export const adminOf = ({ id }: { id: string }): Operator => ({ actor: 'admin', requestId: id });
