import type { Mutations } from '../mutation.ts';

/** The reports on a user's keys, for the operator's commands and for the page. */
export const accounts: Mutations[] = [
  {
    file: 'src/accounts/users/account-store.ts',
    tests: ['accounts/users/account-report.store.test.ts'],
    changes: [
      ['coalesce(c.used, 0) + coalesce(l.calls, 0)', 'coalesce(c.used, 0)'],
      ["coalesce(least(revoked_at, expires_at), 'infinity')", "coalesce(expires_at, 'infinity')"],
      ['ORDER BY period_start DESC', 'ORDER BY period_start'],
      ['max(last_used_at)', 'min(last_used_at)'],
      ["{ createdAt: 'desc' }", "{ createdAt: 'asc' }"],
    ],
  },
  {
    file: 'src/accounts/users/account-report.ts',
    tests: ['accounts/users/account-report.store.test.ts'],
    changes: [['isCurrent ? facts.used : 0', 'facts.used']],
  },
  {
    file: 'src/accounts/users/account-state.ts',
    tests: ['accounts/users/account-report.store.test.ts'],
    changes: [
      ["if (isErased) return 'erased';", ''],
      ["if (liveKeys === 0) return 'revoked';", ''],
      ["now >= validUntil ? 'expired' : 'active'", "'active'"],
      ['expiresAt <= now', 'expiresAt > now'],
      ["replacedAt === null ? 'active' : 'replaced'", "'active'"],
    ],
  },
  {
    file: 'packages/console/account/key-texts.ts',
    tests: ['console/account/account-in-words.test.ts'],
    changes: [
      ['scopes.length === 1 && ', ''],
      ['alike.length > 0 ? alike : keys.filter(({ start }) => start === null)', 'alike'],
      ['candidates.length === 1 ? candidates[0] : undefined', 'candidates[0]'],
      ["replacedAt ? 'replaced, read-only until' : 'expires'", "'expires'"],
    ],
  },
  {
    file: 'packages/console/account/sign-in.ts',
    tests: ['console/account/account-in-words.test.ts'],
    changes: [
      ['(recover|verify)=([', '(\\w+)=(['],
      ['{1,200}', '+'],
    ],
  },
  {
    file: 'packages/console/api/key-store.ts',
    tests: ['console/api/key-store.test.ts'],
    changes: [
      ['if (ofDevice.read() === key) ofDevice.remove();', 'ofDevice.remove();'],
      ['([id]) => id === user', '() => true'],
      ['[ofTab, since, unsaved]', '[ofTab, since]'],
      ['kept = ofTab.read();', ''],
    ],
  },
  {
    file: 'packages/console/api/session.ts',
    tests: ['console/api/session.browser.test.ts'],
    changes: [
      ['if (!isSameUser) return;', 'return;'],
      ['store.isUnsaved() || (message.key', '(message.key'],
      ['const finders = [store.tabKey, ', 'const finders = ['],
      [', tabs.requestKey]', ']'],
    ],
  },
  {
    file: 'packages/console/account/keys.ts',
    tests: ['console/account/keys.browser.test.ts'],
    changes: [
      ['isReplaced || isLapsed || (owners.length === 1 && owners[0] === key)', 'isReplaced || isLapsed'],
      ["show('none', RESTRICTED)", "show('unknown', RESTRICTED)"],
      ["show('none', REPLACED)", "show('owner', REPLACED)"],
      ['newKey.hidden = isReplaced || isLapsed;', 'newKey.hidden = isReplaced;'],
    ],
  },
  {
    file: 'packages/console/account/new-key.ts',
    tests: ['console/account/keys.browser.test.ts'],
    changes: [
      ['if (!created.hidden) event.preventDefault();', ''],
      [
        "dialog.addEventListener('close', () => {\n    warnBeforeLeaving(false);\n    text.textContent = '';",
        "dialog.addEventListener('close', () => {",
      ],
    ],
  },
  {
    file: 'packages/console/account/key-fields.ts',
    tests: ['console/account/keys.browser.test.ts'],
    changes: [
      ["isMissing ? 'Choose at least one.' : ''", "''"],
      ["lastDay.min = hasDate ? isoDate(Date.now()) : '';", ''],
      ['permissions.hidden = isOwner;', ''],
    ],
  },
  {
    file: 'packages/console/account/key-fields.ts',
    tests: ['console/account/key-terms.test.ts'],
    changes: [
      ["Date.parse(fieldOf(fields, 'expiresAt')) + DAY", "Date.parse(fieldOf(fields, 'expiresAt'))"],
      ["if (choice === 'keep') return undefined;", ''],
      [".filter((origin) => origin !== '')", ''],
    ],
  },
  {
    file: 'packages/console/account/purpose-code.ts',
    tests: ['console/account/key-terms.test.ts'],
    changes: [
      ['server: !isRestricted(key)', 'server: true'],
      ["key.scopes.includes('prices') && !isOwner", "key.scopes.includes('prices')"],
      [' && allowedOrigins.length > 0', ''],
    ],
  },
  {
    file: 'packages/console/activity/delivery-texts.ts',
    tests: ['console/activity/delivery-texts.test.ts'],
    changes: [
      ["status === 'failed'", "status === 'pending'"],
      ['nextAttemptAt ?', 'attempts > 9 ?'],
      ["attempts === 1 ? 'attempt' : 'attempts'", "'attempts'"],
    ],
  },
  {
    file: 'packages/console/activity/requests.ts',
    tests: ['console/activity/requests.browser.test.ts'],
    changes: [
      ["if (error.code === 'not_found') showOff();", 'if (!error.code) showOff();'],
      ["complete ? '' : PARTIAL", "''"],
      ['listed.find(({ id }) => id === keyId)', 'listed[0]'],
    ],
  },
  {
    file: 'packages/console/activity/webhooks.ts',
    tests: ['console/activity/webhooks.browser.test.ts'],
    changes: [
      ['test.hidden = !hasUrl;', ''],
      ["open.has(id) ? { open: '' } : {}", '{}'],
      ['if (control) list', 'if (!control) list'],
    ],
  },
  {
    file: 'packages/console/activity/usage-table.ts',
    tests: ['console/activity/usage-table.test.ts'],
    changes: [
      ['days.slice(-WEEK)', 'days'],
      ['key?.dailyLimit ?? null', 'null'],
      ['listed.filter(({ id }) => !used.some((one) => one.id === id))', 'listed'],
      ['a < b ? -1 : Number(a > b)', '0'],
    ],
  },
];
