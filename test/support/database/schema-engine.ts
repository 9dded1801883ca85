import { readFileSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Migration } from '#database/migrations';

const ROOT = new URL('../../../', import.meta.url);
const filters = { externalTables: [], externalEnums: [] };

/** Opens the engine behind `prisma migrate`, in process, on an embedded database. */
export async function openSchemaEngine(postgres: PGlite) {
  // The package imports WebAssembly, which test runners do not transform. Node itself supports the import.
  const { SchemaEngine } = await import('@prisma/schema-engine-wasm');
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(postgres));
  const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
  const files = [{ path: 'schema.prisma', content: readFileSync(new URL('prisma/schema.prisma', ROOT), 'utf8') }];

  return {
    /** The SQL that changes the database to match `prisma/schema.prisma`; undefined if it matches. */
    async missing(): Promise<string | undefined> {
      const { exitCode, stdout } = await engine.diff({
        from: { tag: 'schemaDatasource', files, configDir: ROOT.pathname },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: true,
        filters,
      });
      return exitCode === 0 ? undefined : (stdout ?? '');
    },
    /** Does the same as `prisma migrate deploy`. Returns the names of the applied migrations. */
    async deploy(migrations: Migration[]): Promise<string[]> {
      const output = await engine.applyMigrations({ migrationsList: listed(migrations), filters });
      return output.appliedMigrationNames;
    },
    /** The basis of `prisma migrate status`. */
    history(migrations: Migration[]) {
      const migrationsList = listed(migrations);
      return engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters });
    },
    close: () => engine.free(),
  };
}

function listed(migrations: Migration[]) {
  return {
    baseDir: new URL('prisma/migrations', ROOT).pathname,
    lockfile: {
      path: './migration_lock.toml',
      content: readFileSync(new URL('prisma/migrations/migration_lock.toml', ROOT), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: script } },
    })),
  };
}
