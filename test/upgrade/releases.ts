import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = process.cwd();
/** Later than every migration. */
const NAME = '20990101000000_next_release';
/** A schema expansion of a release: a column, a table and an index. */
const EXPANSION = `ALTER TABLE "user" ADD COLUMN remark TEXT;
CREATE TABLE remark_history (id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY, user_key INTEGER NOT NULL, remark TEXT);
CREATE INDEX remark_history_user_key ON remark_history (user_key);
`;

type Manifest = { version: string };
const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/** The newest tag of a release, or the last commit if no release has a tag. */
async function releaseBefore(): Promise<string> {
  const tag = run('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*']);
  return tag.then(
    ({ stdout }) => stdout.trim(),
    () => 'HEAD',
  );
}

/** Generates the database client and compiles the service. */
async function build(folder: string): Promise<void> {
  for (const script of ['generate.ts', 'build-service.ts'])
    await run(process.execPath, [join(folder, 'scripts', script)], { cwd: folder });
}

/** Uses the packages of the checkout, unless the release has others. */
async function addPackages(folder: string): Promise<void> {
  const [own, theirs] = await Promise.all(
    [ROOT, folder].map((where) => readFile(join(where, 'package-lock.json'), 'utf8')),
  );
  if (own === theirs) await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
}

/** Builds the previous release from git. */
export async function buildReleaseBefore(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archive = join(folder, '..', 'release-before.tar');
  await run('git', ['archive', '--output', archive, await releaseBefore()]);
  await run('tar', ['-xf', archive, '-C', folder]);
  await addPackages(folder);
  await build(folder);
}

/** Builds the checkout as the next release: with a higher version, and a migration that the previous release lacks. */
export async function buildNextRelease(folder: string, { version: oldest }: Manifest): Promise<void> {
  const isSource = (path: string) => !/\/(node_modules|build|dist|coverage|\.git)$/.test(path);
  await cp(ROOT, folder, { recursive: true, filter: isSource });
  await addPackages(folder);
  const manifest = await readManifest(folder);
  const [major, minor] = manifest.version.split('.').map(Number) as [number, number];
  const version = `${major}.${minor + 1}.0`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  await mkdir(join(folder, 'prisma/migrations', NAME));
  await writeFile(
    join(folder, 'prisma/migrations', NAME, 'migration.sql'),
    `-- oldest-release: ${oldest}\n\n${EXPANSION}`,
  );
  await build(folder);
}

export { NAME as NEXT_MIGRATION, readManifest };
