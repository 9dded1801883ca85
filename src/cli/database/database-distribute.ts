import { distribute, readNodes } from '#database/distribute';
import { openSession } from '#database/session';
import { EXIT, ExitError } from '#process/exit';
import { readSettings } from '#settings';
import type { Command } from '../arguments.ts';
import { megabytes, say, withProgress } from '../output.ts';

/** Opens the database of the settings. */
async function withDatabase<Result>(work: (opened: Awaited<ReturnType<typeof openSession>>) => Promise<Result>) {
  const { databaseUrl: url, dataDir } = readSettings();
  const opened = await openSession(url === undefined ? { dataDir } : { url });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

export const distributeDatabase: Command = {
  name: 'database distribute',
  help: 'Distributes the users over the nodes of a Citus cluster. Repeatable.',
  async run() {
    await withDatabase(async ({ session, name }) => {
      const distributed = withProgress(
        () => `distributing ${name}`,
        () => distribute(session),
      );
      const count = await distributed.catch((error: Error) => {
        throw new ExitError(`cannot distribute ${name}: ${error.message}`, EXIT.refused, error);
      });
      const done = count === 0 ? 'is distributed already' : `is distributed: ${count} tables were moved`;
      say(`${name} ${done}`);
    });
  },
};

export const databaseStatus: Command = {
  name: 'database status',
  help: 'Shows on which nodes the rows are.',
  async run() {
    await withDatabase(async ({ session, name }) => {
      const nodes = await readNodes(session);
      const lines = nodes.map(({ node, shards, bytes }) => `${node}: ${shards} shards, ${megabytes(bytes)}`);
      say(nodes.length === 0 ? `${name} contains all rows` : lines.join('\n'));
    });
  },
};
