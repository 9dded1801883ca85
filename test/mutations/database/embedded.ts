import type { Mutations } from '../mutation.ts';

/** The embedded database: its thread, the access to its single session, and its initial files. */
export const embedded: Mutations[] = [
  {
    file: 'src/database/embedded/session.ts',
    tests: ['database/embedded/session.test.ts', 'database/embedded/shared-directory.test.ts'],
    changes: [
      ['holder = isInTransaction(answer) ? job.client : undefined;', 'holder = undefined;'],
      ['[SYNC, queryMessage(', '[queryMessage('],
      [", queryMessage('DISCARD ALL')", ''],
      ['idle ??= setTimeout', 'stopWatching();\n    idle = setTimeout'],
      ['if (holder === undefined || waiting.length === 0) return;', 'if (holder === undefined) return;'],
      ['if (waiting[at]?.client === client) ', 'if (waiting[at]?.client === holder) '],
      ['      isRunning = true;\n      waiting.length = 0;', '      waiting.length = 0;'],
    ],
  },
  {
    file: 'src/database/embedded/port-stream.ts',
    tests: ['database/embedded/port-stream.test.ts'],
    changes: [
      ['    this.#finishWrite(); // Otherwise', '    // Otherwise'],
      ['    this.#taken = done;\n    this.#port', '    setImmediate(done);\n    this.#port'],
      ["port.on('close', () => this.destroy());", ''],
      ['(error: Error) => this.destroy(error)', '() => undefined'],
    ],
  },
  {
    file: 'src/database/embedded/messages.ts',
    tests: ['database/embedded/frontend-messages.test.ts'],
    changes: [
      ['length < 4 || size > LONGEST', 'length < 4'],
      ['length < 8 || length > LONGEST_START', 'length > LONGEST_START'],
      ["letters('QSHF')", "letters('SHF')"],
      ['code !== SSL_REQUEST && code !== GSS_REQUEST', 'code !== SSL_REQUEST'],
    ],
  },
  {
    file: 'src/database/embedded/supervisor.ts',
    tests: ['database/embedded/supervisor.test.ts', 'database/embedded/shared-directory.test.ts'],
    changes: [
      ['void worker.terminate();\n      } else', '} else'],
      ['      current = again();\n', ''],
    ],
  },
  {
    file: 'src/database/embedded/port-stream.ts',
    tests: ['database/embedded/shared-directory.test.ts'],
    changes: [['    await chmod(path, 0o600);\n', '']],
  },
  {
    file: 'src/database/embedded/template.ts',
    tests: ['database/embedded/template.test.ts'],
    changes: [
      ['existsSync(at) || ', ''],
      ['  await rm(partial, { recursive: true, force: true });\n', ''],
    ],
  },
  {
    file: 'src/accounts/ledger/lease.ts',
    tests: ['accounts/ledger/lease.test.ts'],
    changes: [['(lease.closed ? 0 : unspent(lease))', 'unspent(lease)']],
  },
];
