import { distribute, readNodes } from '#database/distribute';
import { openSession } from '#database/session';
import { EXIT, ExitError } from '#process/exit';
import { readSettings } from '#settings';
import type { Command } from '../arguments.ts';

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

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
  name: 'distribute',
  arguments: '',
  help: 'Distributes the users over the nodes of a Citus cluster. Repeatable.',
  async run() {
    await withDatabase(async ({ session, name }) => {
      const count = await distribute(session).catch((error: Error) => {
        throw new ExitError(`cannot distribute ${name}: ${error.message}`, EXIT.refused, error);
      });
      const done = count === 0 ? 'is distributed already' : `is distributed: ${count} tables were moved`;
      process.stdout.write(`${name} ${done}\n`);
    });
  },
};

export const databaseStatus: Command = {
  name: 'status',
  arguments: '',
  help: 'Shows on which nodes the rows are.',
  async run() {
    await withDatabase(async ({ session, name }) => {
      const nodes = await readNodes(session);
      const lines = nodes.map(({ node, shards, bytes }) => `${node}: ${shards} shards, ${megabytes(bytes)}`);
      process.stdout.write(`${nodes.length === 0 ? `${name} contains all rows` : lines.join('\n')}\n`);
    });
  },
};
