import closeWithGrace from 'close-with-grace';
import { buildApp } from './app.ts';
import { drainOnClose } from './http/draining.ts';
import { listenForMetrics } from './http/metrics-listener.ts';
import type { Metrics } from './metrics.ts';
import { openLog, openParts } from './parts.ts';
import { explain, openConfiguredDatabase } from './refusal.ts';
import { readSettings, type Settings } from './settings.ts';

/** The part of the time to stop in that goes to answering what is under way. */
const DRAINING = 0.7;

/** Settings, open, listen; on SIGTERM or SIGINT close, in reverse, with a deadline. */
async function start(settings: Settings): Promise<void> {
  const logger = openLog(settings.logLevel);
  const database = await openConfiguredDatabase(settings);
  const parts = await openParts(settings, { logger, database });
  const app = await buildApp(parts);
  // A part of the time is kept for the ledger: what is leased goes back, and what was spent is settled.
  drainOnClose(app, settings.shutdownGraceMs * DRAINING);
  const metrics = await openMetrics(settings.metrics, parts.metrics);
  closeWithGrace({ delay: settings.shutdownGraceMs, logger }, async ({ err, signal }) => {
    if (err) logger.error({ err }, 'stopping on an error nobody caught');
    else logger.info({ signal }, 'stopping');
    await app.close();
    await metrics?.close();
    await parts.close();
    await database.close();
  });
  await app.listen({ host: settings.host, port: settings.port });
}

const openMetrics = async ({ host, port }: Settings['metrics'], metrics: Metrics) =>
  port === undefined ? undefined : listenForMetrics({ ...metrics, host, port });

try {
  await start(readSettings());
} catch (error) {
  const { text, exitCode } = explain(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}
