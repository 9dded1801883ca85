/** A table with data about a user. Columns are exported as members in camel case, except `user_key`. */
export type UserTable = {
  table: string;
  /** The member of the export: a list in this order or, for a table with at most one row per user, an object. */
  member: string;
  order?: string;
  columns: readonly string[];
  /** Secrets, hashes, and columns that only the operator or the service's processes read. */
  hidden?: readonly string[];
  /** How an erasure treats the rows. Counts of calls and audit events remain. */
  erasure: 'deleted' | 'counts' | 'audit' | { cleared: readonly string[] };
};

const words = (...lines: readonly string[]): string[] => lines.join(' ').split(' ');

/** Every table with a user's record number. A test compares this list with the database's catalogue. */
export const USER_TABLES: readonly UserTable[] = [
  {
    table: 'user',
    member: 'user',
    columns: words(
      'key name email plan limit anchor created_at valid_until updated_at verified_at erased_at suspended_at',
      'suspended_reason next_plan next_limit next_from',
    ),
    hidden: ['changed_at'],
    erasure: {
      cleared: words('name email verified_at suspended_at suspended_reason next_plan next_limit next_from'),
    },
  },
  {
    table: 'api_key',
    member: 'keys',
    order: 'id',
    columns: words(
      'id label scopes start created_at last_used_at seen_origin expires_at daily_limit allowed_origins url',
      'exposed_at node_date node_requests replaced_at revoked_at',
    ),
    hidden: ['hash'],
    // The hash remains until the key is deleted, so that a rejection can state the reason.
    erasure: { cleared: words('label start last_used_at seen_origin exposed_at allowed_origins') },
  },
  {
    table: 'usage',
    member: 'periods',
    order: 'period_start',
    columns: words('period_start used limit credits'),
    erasure: 'counts',
  },
  {
    table: 'credit',
    member: 'credits',
    order: 'id',
    columns: words('period_start calls reason created_at'),
    hidden: ['id'],
    erasure: 'deleted',
  },
  {
    table: 'user_activity',
    member: 'activity',
    columns: words('calls used resets_at slot slots last_hour'),
    erasure: 'counts',
  },
  {
    table: 'audit_event',
    member: 'operatorChanges',
    order: 'at, id',
    columns: words('at action before after'),
    hidden: words('id target actor request_id'),
    erasure: 'audit',
  },
  { table: 'usage_day', member: 'days', order: 'date', columns: words('date calls'), erasure: 'counts' },
  {
    table: 'usage_detail',
    member: 'details',
    order: 'date, key_id, path',
    columns: words('date key_id path calls'),
    erasure: 'counts',
  },
  {
    table: 'lease',
    member: 'leases',
    order: 'period_start, date, process',
    columns: words('period_start date granted spent key_id path details'),
    hidden: words('process report'),
    erasure: 'counts',
  },
  {
    table: 'token_request',
    member: 'tokenRequests',
    order: 'requested_at, token',
    columns: words('token requested_at'),
    erasure: 'deleted',
  },
  {
    table: 'notice_settings',
    member: 'noticeSettings',
    columns: words('email webhook_url thresholds'),
    hidden: words('secret previous_secret previous_until'),
    erasure: 'deleted',
  },
  {
    table: 'notice',
    member: 'notices',
    order: 'seen_at, id',
    columns: words('id kind concerns threshold used limit seen_at reported_at mailed_at posted_at'),
    erasure: 'deleted',
  },
  {
    table: 'webhook_delivery',
    member: 'webhookDeliveries',
    order: 'created_at, id',
    columns: words(
      'id message_id kind resend_of payload created_at attempts attempted_at http_status reason delivered_at',
    ),
    erasure: 'deleted',
  },
  {
    table: 'outbox_message',
    member: 'messages',
    order: 'created_at, id',
    columns: words('id kind payload created_at due_at attempts given_up_at'),
    // The reason is hidden, because users could scan the internal network with the reasons of failed webhooks.
    hidden: ['last_error'],
    erasure: 'deleted',
  },
  {
    table: 'one_time_code',
    member: 'oneTimeCodes',
    order: 'expires_at',
    columns: ['expires_at'],
    hidden: words('hash registration_id'),
    erasure: 'deleted',
  },
];
