import type { Mutations } from './mutation.ts';

/** Price streams: their connections, places and memory. */
export const stream: Mutations[] = [
  {
    file: 'src/server/connections/take-connection.ts',
    tests: ['prices/stream/connection.store.test.ts'],
    changes: [
      ['  socket.destroySoon = () => undefined;\n', ''],
      ['    socket.removeAllListeners();\n', ''],
      ['    socket.destroy = () => socket;\n', ''],
      ["    socket.emit('resume');\n", ''],
      ['response.end(first)', 'response.end()'],
    ],
  },
  {
    file: 'src/server/connections/take-connection.ts',
    tests: ['prices/stream/ends.server.test.ts'],
    changes: [['{ destroy, destroySoon });', '{ destroy });']],
  },
  {
    file: 'src/server/replies/event-stream.ts',
    tests: ['prices/stream/connection.store.test.ts'],
    changes: [
      ["    socket.on('end', () => this.end());\n", ''],
      ['this.#received += length;', ''],
      ['  response.shouldKeepAlive = false;\n', ''],
      ["  response.removeHeader('transfer-encoding');\n", ''],
    ],
  },
  {
    file: 'src/server/replies/event-stream.ts',
    tests: ['server/replies/slow-readers.test.ts'],
    changes: [
      ['      if (socket.writableNeedDrain) break;\n', ''],
      ["    socket.on('drain', this.#flush);\n", ''],
      ['this.#figures.conflated += 1', 'void 0'],
      ['outstanding: writableLength + ', 'outstanding: '],
      ['if (!this.#socket.writableNeedDrain) this.#turns', 'if (this.#socket.writableNeedDrain) this.#turns'],
    ],
  },
  {
    file: 'src/server/replies/open-streams.ts',
    tests: ['prices/stream/stream.store.test.ts'],
    changes: [
      ["        response.off('close', leave);\n", ''],
      ['      unsubscribe();\n      leave();\n', '      unsubscribe();\n'],
    ],
  },
  {
    file: 'src/server/replies/open-streams.ts',
    tests: ['server/replies/slow-readers.test.ts'],
    changes: [['        for (const { stream } of open) stream.close();\n', '']],
  },
  {
    file: 'src/server/replies/open-streams.ts',
    tests: ['server/replies/stream-memory.test.ts'],
    changes: [
      [
        '      const facts = factsOf(request, reply, 200);\n',
        '      const facts = { ...factsOf(request, reply, 200), reply };\n',
      ],
    ],
  },
];
