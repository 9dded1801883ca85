import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { serveText } from '#server/responses/static-content';
import { assetsOf } from './page.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export function serveAssets(
  app: FastifyInstance,
  basePath: string,
  folder: URL,
  assets: Readonly<Record<string, readonly string[]>>,
): void {
  const read = (name: string) => readFile(new URL(name, folder), 'utf8');
  for (const [name, parts] of Object.entries(assets)) {
    const text = async () => (await Promise.all(parts.map(read))).join('');
    serveText(app, `${assetsOf(basePath)}/${name}`, { type: TYPES[extname(name)] as string, text });
  }
}

/** `page.css` is for all pages except the console, which bundles the first three files itself. */
const ASSETS = {
  'page.css': ['base.css', 'controls.css', 'frame.css', 'prose.css'],
  'theme.js': ['theme.js'],
  'icon.svg': ['icon.svg'],
  'status.css': ['status.css'],
  'status.js': ['status.js'],
};

export const servePageAssets = (app: FastifyInstance, basePath: string): void =>
  serveAssets(app, basePath, new URL('./assets/', import.meta.url), ASSETS);
