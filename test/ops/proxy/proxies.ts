import { spawn, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../bench/stand/free-port.ts';
import { OPS, readOps } from '../files.ts';

// nginx and Caddy with the files of ops/, of which only names, ports and folders are changed.

/** Debian installs nginx in a folder that only root's PATH contains. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
export const isInstalled = (program: string, ...args: string[]) => spawnSync(program, args, { env }).status === 0;

type Place = { folder: string; port: number; plainPort: number; ports: readonly number[] };
/** Changes the configuration, to test what the page warns of. */
export type Change = (configuration: string) => string;

const withPorts = (text: string, ports: readonly number[]) =>
  [8081, 8082, 8083].reduce(
    (changed, port, i) => changed.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${ports[i]}`),
    text,
  );

/** The site, in a main file without the folders that only root can write. */
function writeNginx({ folder, port, plainPort, ports }: Place, change: Change): string[] {
  const site = withPorts(readOps('nginx/quotient.conf'), ports)
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
    .replaceAll('quotient.example.org', 'localhost')
    .replaceAll('/etc/letsencrypt/live/localhost', folder)
    .replaceAll('/var/log/nginx', folder);
  writeFileSync(join(folder, 'site.conf'), change(site));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `user root; daemon off; worker_processes 2; pid ${folder}/pid; error_log stderr; events {}
http { ${paths.join(' ')} access_log off; gzip on; include ${folder}/site.conf; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  return ['nginx', '-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
}

/** A self-signed certificate takes the place of the one that Caddy obtains for a public name. */
function writeCaddy({ folder, port, plainPort, ports }: Place, change: Change): string[] {
  cpSync(join(OPS, 'caddy'), folder, { recursive: true });
  const site = withPorts(readOps('caddy/tls.Caddyfile'), ports)
    .replace('{\n\timport global', `{\n\tadmin off\n\thttp_port ${plainPort}\n\timport global`)
    .replace(
      'quotient.example.org {',
      `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
    );
  writeFileSync(join(folder, 'Caddyfile'), change(site));
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
}

const PROXIES = { nginx: writeNginx, caddy: writeCaddy };
export type ProxyName = keyof typeof PROXIES;

/** A certificate for localhost, of which `fullchain.pem` is its own authority. */
export function writeCertificate(folder: string): string {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const { status, stderr } = spawnSync('openssl', ['req', '-x509', '-days', '2', ...key, ...files, ...subject]);
  if (status !== 0) throw new Error(String(stderr));
  return readFileSync(join(folder, 'fullchain.pem'), 'utf8');
}

/** Starts a proxy in front of the processes that listen on `ports`. */
export async function startProxy(
  name: ProxyName,
  { folder, ports, change = (text) => text }: Pick<Place, 'folder' | 'ports'> & { change?: Change },
) {
  const port = await freePort();
  const plainPort = await freePort();
  const [program = '', ...args] = PROXIES[name]({ folder, port, plainPort, ports }, change);
  const proxy = spawn(program, args, {
    env: { ...env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on('data', (text) => (output += text));
  const exited = new Promise<void>((resolve) => proxy.once('exit', () => resolve()));
  return {
    url: `https://localhost:${port}`,
    plainUrl: `http://localhost:${plainPort}`,
    /** Everything that the proxy has printed. */
    output: () => output,
    hasExited: () => proxy.exitCode !== null,
    async close(): Promise<void> {
      proxy.kill('SIGTERM');
      await exited;
    },
  };
}
