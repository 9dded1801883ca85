/**
 * A table with data about a user. Columns are exported as members in camel case. `user_key` is never exported, because
 * it is the record number of the user.
 */
export type UserTable = {
  table: string;
  /** The member of the export: a list, or an object for a table with at most one row per user. */
  member: string;
  isList: boolean;
  columns: readonly string[];
  /** Secrets, hashes, and columns that only the operator or the service's processes read. */
  hidden?: readonly string[];
  order?: string;
  /** How an erasure treats the rows. `counts`: they remain, because they contain only counts of calls. `audit`: they remain, as nothing deletes audit events. */
  erasure: 'deleted' | 'counts' | 'audit' | { cleared: readonly string[] };
};

/** Every table with a user's record number. A test compares this list with the database's catalogue. */
export const USER_TABLES: readonly UserTable[] = [
  {
    table: 'user',
    member: 'user',
    isList: false,
    columns: [
      ...['key', 'name', 'email', 'plan', 'limit', 'anchor', 'created_at', 'valid_until', 'updated_at'],
      ...['verified_at', 'erased_at', 'suspended_at', 'suspended_reason', 'next_plan', 'next_limit', 'next_from'],
    ],
    hidden: ['changed_at'],
    erasure: {
      cleared: [
        ...['name', 'email', 'verified_at', 'suspended_at', 'suspended_reason', 'next_plan', 'next_limit', 'next_from'],
      ],
    },
  },
  {
    table: 'api_key',
    member: 'keys',
    isList: true,
    columns: [
      ...['id', 'label', 'scopes', 'start', 'created_at', 'last_used_at', 'seen_origin', 'expires_at', 'daily_limit'],
      ...['allowed_origins', 'replaced_at', 'revoked_at'],
    ],
    hidden: ['hash'],
    order: 'id',
    // The hash remains until the key is deleted, so that a rejection can state the reason.
    erasure: { cleared: ['label', 'start', 'last_used_at', 'seen_origin', 'allowed_origins'] },
  },
  {
    table: 'usage',
    member: 'periods',
    isList: true,
    columns: ['period_start', 'used', 'limit', 'credits', 'outstanding', 'resting'],
    order: 'period_start',
    erasure: 'counts',
  },
  {
    table: 'credit',
    member: 'credits',
    isList: true,
    columns: ['period_start', 'calls', 'reason', 'created_at'],
    hidden: ['id'],
    order: 'id',
    erasure: 'deleted',
  },
  {
    table: 'user_activity',
    member: 'activity',
    isList: false,
    columns: ['calls', 'used', 'resets_at', 'slot', 'slots', 'last_hour'],
    erasure: 'counts',
  },
  {
    table: 'audit_event',
    member: 'operatorChanges',
    isList: true,
    columns: ['at', 'action', 'before', 'after'],
    hidden: ['id', 'target', 'actor', 'request_id'],
    order: 'at, id',
    erasure: 'audit',
  },
  {
    table: 'usage_day',
    member: 'days',
    isList: true,
    columns: ['date', 'calls'],
    order: 'date',
    erasure: 'counts',
  },
  {
    table: 'usage_detail',
    member: 'details',
    isList: true,
    columns: ['date', 'key_id', 'path', 'calls'],
    order: 'date, key_id, path',
    erasure: 'counts',
  },
  {
    table: 'lease',
    member: 'leases',
    isList: true,
    columns: [
      ...['period_start', 'date', 'granted', 'spent', 'unbooked', 'resting', 'key_id', 'path', 'details'],
      ...['expires_at', 'closed'],
    ],
    hidden: ['id', 'seq', 'group_id', 'group_seq', 'slot'],
    order: 'expires_at, id',
    erasure: 'counts',
  },
  {
    table: 'notice_settings',
    member: 'noticeSettings',
    isList: false,
    columns: ['email', 'webhook_url', 'thresholds'],
    hidden: ['secret', 'previous_secret', 'previous_until'],
    erasure: 'deleted',
  },
  {
    table: 'notice',
    member: 'notices',
    isList: true,
    columns: ['id', 'kind', 'concerns', 'threshold', 'used', 'limit', 'seen_at', 'told_at', 'mailed_at', 'posted_at'],
    order: 'seen_at, id',
    erasure: 'deleted',
  },
  {
    table: 'webhook_delivery',
    member: 'webhookDeliveries',
    isList: true,
    columns: [
      ...['id', 'message_id', 'kind', 'resend_of', 'payload', 'created_at', 'attempts', 'attempted_at', 'http_status'],
      ...['reason', 'delivered_at'],
    ],
    order: 'created_at, id',
    erasure: 'deleted',
  },
  {
    table: 'outbox_message',
    member: 'messages',
    isList: true,
    columns: ['id', 'kind', 'payload', 'created_at', 'due_at', 'attempts', 'given_up_at'],
    // With the reasons of failed webhooks, users could scan the internal network.
    hidden: ['last_error'],
    order: 'created_at, id',
    erasure: 'deleted',
  },
  {
    table: 'mail_token',
    member: 'oneTimeCodes',
    isList: true,
    columns: ['expires_at'],
    hidden: ['hash', 'registration_id'],
    order: 'expires_at',
    erasure: 'deleted',
  },
];
