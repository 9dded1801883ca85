import type { Mutations } from './mutation.ts';

/** Notices about the allowance, each once, and the allowed addresses of webhooks. */
export const notices: Mutations[] = [
  {
    file: 'src/notifications/sources/webhook-url.ts',
    tests: ['notifications/sources/public-address.test.ts'],
    changes: [
      ["  if (address.range() !== 'unicast') return false;\n", ''],
      ['(isWithin(address, GLOBAL_UNICAST) && ', '('],
      [' && !isTunnel(address)', ''],
      ['parts[4] === 0 || parts[4] === 0x200', 'true'],
      ['ipaddr.process(text)', 'ipaddr.parse(text)'],
      ['|| length > width ', ''],
    ],
  },
  {
    file: 'src/notifications/sources/webhook-url.ts',
    tests: ['notifications/sources/public-address.test.ts'],
    changes: [
      ["(protocol === 'https:' && isPublicAddress(address))", 'isPublicAddress(address)'],
      ["url.username !== '' || ", ''],
      [' || STRAY.test(text)', ''],
      ['\\p{Cc}\\s', '\\s'],
      ["isLocalhost(host) ? ['127.0.0.1', '::1'] : ", ''],
    ],
  },
  {
    file: 'src/notifications/sources/signature.ts',
    tests: ['notifications/sources/signature.test.ts'],
    changes: [
      ['Math.floor(now / 1000)', 'now'],
      ["signatures.join(' ')", "signatures.join(',')"],
      ['secret.slice(PREFIX.length)', 'secret'],
    ],
  },
  {
    file: 'src/notifications/sources/webhook.ts',
    tests: ['notifications/sources/webhook.test.ts'],
    changes: [
      ['.filter(isAllowed)', ''],
      ["if (isLocalhost(host)) return ['127.0.0.1', '::1'];", ''],
    ],
  },
  {
    file: 'src/notifications/sources/webhook.ts',
    tests: ['notifications/sources/webhook.test.ts'],
    changes: [
      ['isIP(host) && !isAllowed(host)', 'false'],
      ['status < 200 || status > 299', 'status > 399'],
      ['status === 410', 'status === 404'],
      ['        signal,\n', '        signal: new AbortController().signal,\n'],
      ['(error instanceof InterimResponsesExceeded)', '(isLate && error instanceof InterimResponsesExceeded)'],
    ],
  },
  {
    file: 'src/notifications/notices/due-notices-store.ts',
    tests: ['notifications/notices/notice-store.store.test.ts'],
    changes: [
      ['used + coalesce(sum(unbooked), 0)::int AS calls', 'used AS calls'],
      [
        'AND (p.used + p.outstanding)::bigint * 100 >= ${LIMIT}::bigint * (${THRESHOLDS})[1]',
        'AND p.used::bigint * 100 >= ${LIMIT}::bigint * (${THRESHOLDS})[1]',
      ],
      ['WHERE calls > 0 AND calls::bigint', 'WHERE calls::bigint'],
      [' - DAYS_AFTER_END * DAY', ''],
      ['WHERE told_at IS NULL AND id NOT IN', 'WHERE false AND id NOT IN'],
    ],
  },
  {
    file: 'src/notifications/notices/due-notices-store.ts',
    tests: ['notifications/notices/notice-store.server.test.ts'],
    changes: [['WHERE n.id = due.id AND n.told_at IS NULL', 'WHERE n.id = due.id']],
  },
  {
    file: 'src/notifications/notices/due-notices-store.ts',
    tests: ['notifications/notices/notice-store.store.test.ts'],
    changes: [
      ['AND n.threshold <= days LIMIT', 'LIMIT'],
      ['u.valid_until > ${iso(now)}', 'u.valid_until >= ${iso(now)}'],
      [' AND k.revoked_at IS NULL', ''],
      ['SELECT min(days)', 'SELECT max(days)'],
    ],
  },
  {
    file: 'src/notifications/notices/due-notices-store.ts',
    tests: ['notifications/notices/notice-store.store.test.ts'],
    changes: [
      ['u.erased_at IS NULL AND ', ''],
      [' WHERE ${EMAIL}\n', '\n'],
    ],
  },
  {
    file: 'src/notifications/notices/notice-settings-store.ts',
    tests: ['notifications/notices/settings.store.test.ts', 'notifications/notices/delivery.store.test.ts'],
    changes: [
      ['${stays} AND NOT ${isRotated}::boolean THEN', '${stays} THEN'],
      ['WHEN ${rotated} THEN held.secret', 'WHEN ${rotated} THEN NULL'],
    ],
  },
  {
    file: 'src/notifications/notices/notice-store.ts',
    tests: ['notifications/notices/delivery.store.test.ts'],
    changes: [
      [' AND u.erased_at IS NULL`', '`'],
      ['${hasAddress(email)}', 'u.email = ${email}'],
    ],
  },
  {
    file: 'src/notifications/notices/delivery.ts',
    tests: ['notifications/notices/delivery.store.test.ts'],
    changes: [
      ['!user.isVerified && ', ''],
      [') >= MAILS_A_DAY', ') > MAILS_A_DAY'],
    ],
  },
  {
    file: 'src/notifications/sources/webhook.ts',
    tests: ['notifications/sources/webhook.test.ts'],
    changes: [
      ["if ((error as WebhookFailure).status === undefined && !signal.aborted) await once(signal, 'abort');", ''],
      ['(error as WebhookFailure).status === undefined && ', ''],
    ],
  },
  {
    file: 'src/notifications/webhooks/delivery-store.ts',
    tests: ['notifications/webhooks/deliveries.store.test.ts'],
    changes: [
      [' AND user_key = ${authority.userKey}::int`;', '`;'],
      ['if (!settings) return ', 'if (false) return '],
      [' AND u.suspended_at IS NULL', ''],
      ['\n          AND EXISTS (SELECT FROM api_key k WHERE k.user_key = u.key AND k.revoked_at IS NULL)', ''],
      ['if (wait) return wait;', ''],
      ['row.count < PER_HOUR[kind]', 'row.count <= PER_HOUR[kind]'],
      ['= ${userKey}::int AND kind = ${kind}\n        AND created_at', '= ${userKey}::int\n        AND created_at'],
      ['m.id = d.id AND m.given_up_at IS NULL`;', 'm.id = d.id`;'],
      ['\n      AND NOT EXISTS (SELECT FROM outbox_message m WHERE m.id = d.id AND m.given_up_at IS NULL))`;', ')`;'],
      ['OFFSET ${MOST_LISTED}::int) d', 'OFFSET ${MOST_LISTED + 1}::int) d'],
      [
        'WHERE created_at < clock_timestamp() - make_interval(days',
        'WHERE created_at > clock_timestamp() - make_interval(days',
      ],
    ],
  },
  {
    file: 'src/notifications/webhooks/delivery-store.ts',
    tests: ['notifications/webhooks/two-processes.server.test.ts'],
    changes: [[' AND erased_at IS NULL FOR SHARE', '']],
  },
  {
    file: 'src/notifications/webhooks/delivery-store.ts',
    tests: ['notifications/notices/delivery.store.test.ts'],
    changes: [['s.previous_until > ', 's.previous_until IS NOT NULL OR now() > ']],
  },
  {
    file: 'src/notifications/webhooks/posting.ts',
    tests: ['notifications/webhooks/deliveries.store.test.ts'],
    changes: [
      ["      await store.failed(message, 'webhook_off', null);\n", ''],
      ["answered === undefined ? 'no_response' : 'http_status'", "'http_status'"],
      ['    await turnOff(userKey, target.url);\n', ''],
      ['      await store.delivered(message, status);\n', ''],
    ],
  },
  {
    file: 'src/notifications/webhooks/deliveries.ts',
    tests: ['notifications/webhooks/deliveries.store.test.ts'],
    changes: [
      ["if (dueAt === null) return 'failed';", ''],
      ["reason === null ? 'pending' : 'retrying'", "'retrying'"],
      ['stored.deliveredAt === null ? at(dueAt) : null', 'at(dueAt)'],
      ['Math.max(1, Math.ceil(refusal.retryAfter))', '1'],
    ],
  },
];
