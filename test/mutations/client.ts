import type { Mutations } from './mutation.ts';

/** The client: requests, retries, metadata of a response, errors. */
export const client: Mutations[] = [
  {
    file: 'packages/client/transport/retries.ts',
    tests: ['client/transport/retries.test.ts', 'client/transport/rate-limit.test.ts'],
    changes: [
      ['408, 429, 500, ', '429, '],
      ["new Set(['node_not_configured', 'mail_not_configured'])", "new Set(['node_not_configured'])"],
      ['if (EXHAUSTED.has(code)) return retryAfter !== undefined;', ''],
      ["if (error.code === 'rate_limited') return true;", ''],
      ["if (method !== 'GET') return false;", ''],
      ['if (retries === 0) return false;', ''],
      ['if (isRateLimited(error)) return true;\n    failures += 1;', 'failures += 1;'],
      ['failures <= retries', 'failures < retries'],
      ['(error.retryAfter ?? 0) * 1000', '0'],
      [' || least >= left', ''],
      [', (left - least) / 2', ''],
    ],
  },
  {
    file: 'packages/client/transport/retries.ts',
    tests: ['client/transport/answers.test.ts', 'client/transport/retries.test.ts'],
    changes: [
      ["=> name === 'plan'", '=> name !== undefined'],
      ["of('r') === 0 ?", "of('r') !== undefined ?"],
      ['Number.isNaN(seconds) ? secondsToReset(headers)', 'Number.isNaN(seconds) ? undefined'],
    ],
  },
  {
    file: 'packages/client/transport/deadline.ts',
    tests: ['client/transport/call-options.test.ts'],
    changes: [
      [
        "if (stops.size === 0) signal.addEventListener('abort', notify);",
        "signal.addEventListener('abort', () => notify());",
      ],
      ["signal.removeEventListener('abort', notify)", 'followed.delete(signal)'],
    ],
  },
  {
    file: 'packages/client/transport/transport.ts',
    tests: ['client/transport/failures.test.ts', 'client/transport/call-options.test.ts'],
    changes: [
      ["redirect: 'manual'", "redirect: 'error'"],
      ["text.replaceAll(apiKey, '***')", 'text'],
      ['      reportUncaught(error);\n', '      throw error;\n'],
      ['current.facts = factsOf(response);', ''],
      ['        ...defaults.headers,\n        ...headers,\n', '        ...headers,\n        ...defaults.headers,\n'],
      ['limits.retries ?? request.retries', 'request.retries ?? limits.retries'],
      ['timeout ?? defaults.timeout, signal)', 'defaults.timeout, signal)'],
      ['        ...userAgent(),\n', ''],
    ],
  },
  {
    file: 'packages/client/transport/transport.ts',
    tests: ['client/arguments.test.ts'],
    changes: [
      ['    checkKey(apiKey);\n', ''],
      ['return readArguments(() => {\n      const { signal', 'return ((read) => read())(() => {\n      const { signal'],
    ],
  },
  {
    file: 'packages/client/transport/answer.ts',
    tests: ['client/transport/answers.test.ts'],
    changes: [
      ['characters -= text.length', 'characters -= 0'],
      [' || oldest === text', ''],
    ],
  },
  {
    file: 'packages/client/transport/options.ts',
    tests: ['client/transport/call-options.test.ts'],
    changes: [[' || document !== undefined', '']],
  },
  {
    file: 'packages/client/transport/options.ts',
    tests: ['client/transport/call-options.test.ts'],
    changes: [["const OWN_HEADERS = ['accept', ", 'const OWN_HEADERS = [']],
  },
  {
    file: 'packages/client/account.ts',
    tests: ['client/arguments.test.ts', 'client/account-calls.test.ts'],
    changes: [
      ['if (!Number.isSafeInteger(id) || id < 1) throw', 'if (id === 0) throw'],
      [
        "'/v1/user/verify', readUser, { body: { token }, isPublic: true }",
        "'/v1/user/verify', readUser, { body: { token } }",
      ],
      ["'apiKey' in wire ? toUser(wire) : toPending(wire)", 'toUser(wire as Wire<User>)'],
    ],
  },
  {
    file: 'packages/client/request.ts',
    tests: ['client/transport/failures.test.ts', 'client/transport/answers.test.ts'],
    changes: [
      ['{ cause, status, requestId }', '{ cause }'],
      ['      answers.keep(result, answer);\n', ''],
    ],
  },
  {
    file: 'packages/client/chain/chain-client.ts',
    tests: ['client/transport/call-options.test.ts'],
    changes: [
      ['timeout ?? this.#transport.timeout', 'this.#transport.timeout'],
      ['Promise.race([this.#adapter(send).then(use), deadline.over])', 'this.#adapter(send).then(use)'],
    ],
  },
];
