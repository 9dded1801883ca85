import closeWithGrace from 'close-with-grace';
import { buildApp } from './app.ts';
import { openLog, openParts } from './parts.ts';
import { explain, openConfiguredDatabase } from './refusal.ts';
import { readSettings, type Settings } from './settings.ts';

/** Settings, open, listen; on SIGTERM or SIGINT close, in reverse, with a deadline. */
async function start(settings: Settings): Promise<void> {
  const logger = openLog(settings.logLevel);
  const database = await openConfiguredDatabase(settings);
  const parts = await openParts(settings, { logger, database });
  const app = await buildApp(parts);
  closeWithGrace({ delay: settings.shutdownGraceMs, logger }, async ({ err, signal }) => {
    if (err) logger.error({ err }, 'stopping on an error nobody caught');
    else logger.info({ signal }, 'stopping');
    await app.close();
    await parts.close();
    await database.close();
  });
  await app.listen({ host: settings.host, port: settings.port });
}

try {
  await start(readSettings());
} catch (error) {
  const { text, exitCode } = explain(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}
