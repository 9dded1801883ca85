/**
 * Writes the difference between the migrations and `prisma/schema.prisma` as a new migration:
 *
 *     node test/support/database/draft-migration.ts 20261121000000_init
 *
 * An existing migration with that name is overwritten, so the name must not be that of a released migration.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { migrate, readMigrations } from '#database/migrations';
import { openSchemaEngine } from './schema-engine.ts';

const name = process.argv[2];
if (!name || !/^\d{14}_\w+$/.test(name)) throw new Error('name the migration: 20261121000000_what_it_does');

const postgres = await PGlite.create();
const earlier = (await readMigrations()).filter((migration) => migration.name < name);
await migrate(postgres, { migrations: earlier });
const script = await (await openSchemaEngine(postgres)).missing();
await postgres.close();

if (script === undefined) {
  console.log('the migrations already match the schema');
} else {
  const directory = new URL(`../../../prisma/migrations/${name}/`, import.meta.url);
  await mkdir(directory, { recursive: true });
  await writeFile(new URL('migration.sql', directory), script);
  console.log(script);
}
