import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { serveText } from '#http/replies/static-content';
import { assetsOf } from './page.ts';

const read = (name: string) => readFile(new URL(`./assets/${name}`, import.meta.url), 'utf8');

/** The style sheet of every page but the console, which builds the first three into its own. */
const STYLES = ['base.css', 'controls.css', 'frame.css', 'prose.css'];

/** What every page loads, by name. */
const ASSETS = {
  'page.css': {
    type: 'text/css; charset=utf-8',
    text: async () => (await Promise.all(STYLES.map(read))).join(''),
  },
  'theme.js': { type: 'text/javascript; charset=utf-8', text: () => read('theme.js') },
  'icon.svg': { type: 'image/svg+xml', text: () => read('icon.svg') },
};

/** Serves the style, the theme and the icon of all pages. */
export function servePageAssets(app: FastifyInstance, basePath: string): void {
  for (const [name, asset] of Object.entries(ASSETS)) serveText(app, `${assetsOf(basePath)}/${name}`, asset);
}
