import { type Command, choice } from '#cli/arguments';
import { ExitError } from '#process/exit';

const DIALECTS = ['cosmos', 'legacy'] as const;

/** The image does not contain the simulated data sources. */
function notInstalled(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new ExitError('this installation does not contain the demo: run it in a checkout', undefined, error);
}

export const commands: readonly Command[] = [
  {
    name: 'demo',
    options: {
      [`node <${DIALECTS.join('|')}>`]: 'the REST dialect of the simulated node (default: cosmos)',
      keep: 'keeps the key and the data in the directory demo-data, with which the next start continues',
    },
    help: `Starts the service with simulated data sources and a temporary database. The demo needs no network. All data is
synthetic. To stop the demo, press Ctrl-C.`,
    async run({ values: { node = 'cosmos' }, flags }) {
      const dialect = choice('--node', node, DIALECTS);
      const { runDemo } = await import('./run-demo.ts').catch(notInstalled);
      return runDemo({ dialect, isKept: flags.has('keep') });
    },
  },
];

export const notes = `All settings in the environment apply, except the settings for the database, the upstreams and the mail server.
The demo prints the names of the settings that it overrides. The demo logs only errors, unless LOG_LEVEL or
LOG_REQUESTS is set. Without PORT, the demo listens on 8080, or on a free port if 8080 is in use.
The demo prints commands for operators that work with its database.`;
