import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { serveBuiltPage } from './built-page.ts';

export const OPERATOR_PAGE_FOLDER = fileURLToPath(new URL('../../dist/operator', import.meta.url));

/** Serves `/` and `/operator/` of the operator's listener. The page contains no data, so it needs no token. */
export const serveOperatorPage = async (app: FastifyInstance, folder: string): Promise<void> =>
  void (await serveBuiltPage(app, { name: 'operator', basePath: '', folder }));
