import { isLaunched, launch, stopWithParent } from './launch.ts';
import { USAGE } from './usage.ts';

/** Serves, with what the process lacks for it; or prints the usage. Arguments are not repeated: they may hold a secret. */
export async function start(args: readonly string[], serve: () => Promise<unknown>): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
  } else if (args.length > 0) {
    process.stderr.write(
      'the service takes no arguments: its settings are environment variables (see `npm start -- --help`)\n',
    );
    process.exitCode = 2;
  } else if (isLaunched()) {
    stopWithParent();
    await serve();
  } else {
    await launch();
  }
}
