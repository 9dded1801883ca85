import { readFileSync } from 'node:fs';

const packageJson = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');

/** The version of the service. */
export const { version: VERSION } = JSON.parse(packageJson) as { version: string };
