import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

// Checks imports by folder and by role (file name), and checks for cycles. Part of `npm run check`.

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const SUBPATHS = Object.entries(
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { imports: Record<string, string> }).imports,
);

const CAPABILITIES = [
  ...['users', 'keys', 'ledger', 'gate', 'requests', 'notifications', 'catalogue', 'prices', 'statistics', 'node'],
  ...['operator', 'status'],
];
const BASE = ['core', 'database', 'upstream', 'server'];
const inSrc = (...folders: string[]) => folders.map((folder) => `src/${folder}`);

/** The other folders from which a folder may import. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'src/core': [],
  'src/database': inSrc('core'),
  'src/upstream': inSrc('core'),
  'src/server': inSrc('core', 'database', 'upstream'),
  'src/users': inSrc(...BASE),
  'src/keys': inSrc(...BASE, 'users'),
  'src/ledger': inSrc(...BASE, 'users', 'keys'),
  'src/gate': inSrc(...BASE, 'users', 'keys', 'ledger'),
  'src/requests': inSrc(...BASE, 'keys'),
  'src/notifications': inSrc(...BASE, 'users', 'ledger'),
  'src/operator': inSrc(...BASE, 'users', 'keys', 'ledger', 'gate', 'notifications', 'catalogue'),
  'src/status': inSrc(...BASE),
  'src/catalogue': inSrc(...BASE),
  'src/prices': inSrc(...BASE, 'catalogue'),
  'src/statistics': inSrc(...BASE, 'catalogue'),
  'src/node': [...inSrc(...BASE), 'packages/cosmos'],
  'src/web': inSrc(...BASE, ...CAPABILITIES),
  'src/docs': inSrc(...BASE, ...CAPABILITIES, 'web'),
  'src/mcp': inSrc(...BASE, ...CAPABILITIES, 'docs'),
  'src/coingecko': inSrc(...BASE, 'catalogue', 'prices'),
  'src/process': inSrc('core', 'database', 'upstream'),
  // Files directly in src/.
  src: [...inSrc(...BASE, ...CAPABILITIES, 'docs', 'web', 'mcp', 'coingecko', 'process')],
  'src/cli': ['src', ...inSrc(...BASE, ...CAPABILITIES, 'docs', 'web', 'process'), 'packages/sandbox'],
  'packages/cosmos': [],
  'packages/client': ['packages/cosmos'],
  'packages/pages': ['packages/client'],
  'packages/console': ['packages/client', 'packages/pages'],
  'packages/operator': ['packages/client', 'packages/pages'],
  'packages/sandbox': ['packages/cosmos'],
};

const isStore = (file: string) => file.endsWith('-store.ts');

/** The modules that may use certain external packages. */
const ROLES: { uses: RegExp; in: (file: string) => boolean; message: string }[] = [
  {
    uses: /^(@prisma\/|@electric-sql\/|pg$|#generated\/)/,
    in: (file) => isStore(file) || file.startsWith('src/database/'),
    message: 'only stores (*-store.ts) and src/database use Prisma and PostgreSQL',
  },
  {
    uses: /^undici$/,
    in: (file) => file === 'src/upstream/transport/http-client.ts',
    message: 'requests are sent with src/upstream/transport/http-client.ts, which limits them',
  },
  {
    uses: /^@opentelemetry\/(?!api$)/,
    in: (file) => file === 'src/process/tracing.ts',
    message: 'only src/process/tracing.ts, which is loaded only if traces are exported, uses the tracing SDK',
  },
  {
    uses: /^@opentelemetry\/api$/,
    in: (file) => file === 'src/process/tracing.ts' || file === 'src/core/tracing.ts',
    message: 'spans are created with src/core/tracing.ts, which limits their attributes',
  },
  {
    uses: /^(fastify|@fastify\/.*|fastify-type-provider-zod)$/,
    in: (file) => /^src\/((admin-)?app\.ts$|server\/|docs\/|web\/|gate\/)/.test(file) || /-routes\.ts$/.test(file),
    message: 'only routes*.ts, src/server, src/docs and src/gate use Fastify',
  },
  {
    uses: /^@modelcontextprotocol\//,
    in: (file) => file.startsWith('src/mcp/protocol'),
    message: 'only src/mcp/protocol*.ts uses the SDK of the protocol',
  },
  {
    uses: /^node:/,
    in: (file) => !/^packages\/(cosmos|client|pages|console|operator)\//.test(file),
    message: 'this package runs in a browser',
  },
];

type Import = { file: string; line: number; specifier: string; target: string | undefined };

/** The imported path, relative to the root. Undefined for a package. */
function resolve(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier));
  for (const [subpath, path] of SUBPATHS) {
    const [start = '', end = ''] = subpath.split('*');
    if (specifier.startsWith(start) && specifier.startsWith('#')) {
      return normalize(path.replace('*', specifier.slice(start.length, specifier.length - end.length)));
    }
  }
  return undefined;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:\bfrom |\bimport\(|^import )'([^']+)'/gm)].map(({ 1: specifier = '', index }) => ({
    file,
    specifier,
    target: resolve(file, specifier),
    line: text.slice(0, index).split('\n').length,
  }));
}

/** The folder whose rule applies to a file. */
function ruleFolder(file: string): string {
  const [top, second] = file.split('/');
  return second && /\.tsx?$/.test(second) ? `${top}` : `${top}/${second}`;
}

function fault({ file, specifier, target }: Import): string | undefined {
  const role = ROLES.find((one) => one.uses.test(specifier) && !one.in(file));
  if (role) return role.message;
  if (target === undefined || target.startsWith('src/generated/')) return undefined;
  const [from, to] = [ruleFolder(file), ruleFolder(target)];
  if (from === to) return undefined;
  if (!MAY_IMPORT[from]?.includes(to)) {
    return `${from} may import ${MAY_IMPORT[from]?.join(', ') || 'nothing outside itself'}`;
  }
  if (to === 'packages/client' && target !== 'packages/client/index.ts') {
    return "pages may import only the client's public module, packages/client/index.ts";
  }
  const isSibling = [from, to].every((folder) => CAPABILITIES.includes(folder.slice('src/'.length)));
  if (isSibling && isStore(target)) return 'a store is private to its capability: import a module that uses it';
  return undefined;
}

/** A cycle in the graph, as a list of names. Undefined if the graph has no cycle. */
function findCycle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  function visit(node: string): string[] | undefined {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(node);
    return undefined;
  }
  for (const node of graph.keys()) {
    const found = visit(node);
    if (found) return found;
  }
  return undefined;
}

/** For each folder, the import graph of its files and folders. */
function graphs(all: readonly Import[]): Map<string, Map<string, Set<string>>> {
  const byFolder = new Map<string, Map<string, Set<string>>>();
  for (const { file, target } of all) {
    if (target === undefined) continue;
    const [from, to] = [file.split('/'), target.split('/')];
    const depth = from.findIndex((name, place) => name !== to[place]);
    if (depth < 0) continue;
    const folder = from.slice(0, depth).join('/');
    const [entry = '', imported = ''] = [from[depth], to[depth]];
    const graph = byFolder.get(folder) ?? new Map<string, Set<string>>();
    byFolder.set(folder, graph.set(entry, (graph.get(entry) ?? new Set()).add(imported)));
  }
  return byFolder;
}

const files = globSync('{src,packages}/**/*.{ts,tsx}', { cwd: ROOT })
  .filter((file) => !/\/(generated|node_modules|assets)\//.test(file))
  .sort();
const all = files.flatMap(importsOf);
const faults = all.flatMap((one) => {
  const text = fault(one);
  return text ? [`${one.file}:${one.line} imports ${one.specifier}: ${text}`] : [];
});
for (const [folder, graph] of graphs(all)) {
  const cycle = findCycle(graph);
  if (cycle) faults.push(`${folder}: ${cycle.join(' → ')} form an import cycle`);
}
for (const text of faults) console.error(text);
console.log(`${all.length} imports checked, ${faults.length} faults.`);
if (faults.length > 0) process.exitCode = 1;
