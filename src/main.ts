import closeWithGrace from 'close-with-grace';
import { buildApp } from './app.ts';
import { openLog, openParts } from './parts.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/** Exit code for a start that cannot succeed until somebody changes something. */
const EXIT_MISCONFIGURED = 2;

function refuse(error: unknown): never {
  const { code } = error as { code?: string };
  const expected = error instanceof SettingsError || code === 'DIRECTORY_IN_USE';
  process.stderr.write(`${expected ? (error as Error).message : String((error as Error).stack)}\n`);
  process.exit(expected ? EXIT_MISCONFIGURED : 1);
}

/** Settings, open, listen; on SIGTERM or SIGINT close, in reverse, with a deadline. */
async function start(settings: Settings): Promise<void> {
  const logger = openLog(settings.logLevel);
  const parts = await openParts(settings, { logger });
  const app = await buildApp(parts);
  closeWithGrace({ delay: settings.shutdownGraceMs, logger }, async ({ err, signal }) => {
    if (err) logger.error({ err }, 'stopping on an error nobody caught');
    else logger.info({ signal }, 'stopping');
    await app.close();
    await parts.close();
  });
  await app.listen({ host: settings.host, port: settings.port });
}

try {
  await start(readSettings());
} catch (error) {
  refuse(error);
}
