import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSettings, SETTING_NAMES } from '#settings';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** The values that the example sets, and the values that it shows as defaults, by name. */
const shown = new Map(
  [...read('.env.example').matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);
const composed = new Set([...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name));

it(".env.example contains exactly the service's settings and the compose file's variables", () => {
  expect(new Set(shown.keys())).toEqual(new Set([...SETTING_NAMES, ...composed]));
});

it('.env.example shows the actual defaults', () => {
  expect(readSettings(Object.fromEntries(shown))).toEqual(readSettings({}));
});

it('.env.example sets only the password, and the compose file contains no password', () => {
  const set = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(set).toEqual(['POSTGRES_PASSWORD']);
  const passwords = [...read('docker-compose.yml').matchAll(/PASSWORD: (.*)$/gm)].map(([, value]) => value);
  expect(passwords.length).toBeGreaterThan(0);
  for (const value of passwords) expect(value).toMatch(/^\$\{POSTGRES_PASSWORD:\?[^}]+\}$/);
});
