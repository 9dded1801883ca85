import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const isInstalled = spawnSync('docker', ['compose', 'version']).status === 0;
if (!isInstalled) console.log('docker compose is not installed: the files in ops/compose are not checked.');

/** The compose file together with one of `ops/compose`. Needs no engine. */
function merged(file: string, variables: Readonly<Record<string, string>>) {
  const args = [
    'compose',
    '--env-file',
    '/dev/null',
    '-f',
    'docker-compose.yml',
    '-f',
    `ops/compose/${file}`,
    'config',
  ];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, POSTGRES_PASSWORD: 'x', ...variables };
  const { status, stdout, stderr } = spawnSync('docker', args, { encoding: 'utf8', env });
  return { status, stderr, services: status === 0 ? parse(stdout).services : {} };
}

describe.runIf(isInstalled)('the files for Docker Compose', () => {
  it('with TLS, the balancer has both ports, and keeps its certificate in a volume', () => {
    const { status, stderr, services } = merged('tls.yml', { SITE: 'quotient.example.org' });
    expect(status, stderr).toBe(0);
    const { environment, ports, tmpfs, volumes } = services.balancer;
    expect(environment.SITE).toBe('quotient.example.org');
    expect(ports.map(({ published }: { published: string }) => published)).toEqual(['80', '443']);
    expect(tmpfs).toEqual(['/config']);
    expect(volumes).toContainEqual(expect.objectContaining({ type: 'volume', source: 'caddy', target: '/data' }));
  });

  it('without a host name, TLS is refused with the name of the variable', () => {
    expect(merged('tls.yml', {}).stderr).toContain('set SITE to the host name');
  });

  it('secrets are files of the service only', () => {
    const { status, stderr, services } = merged('secrets.yml', { SECRETS: '/tmp' });
    expect(status, stderr).toBe(0);
    const files = services.api.secrets.map(({ target }: { target: string }) => target);
    const { COINGECKO_API_KEY_FILE, SMTP_URL_FILE } = services.api.environment;
    expect([COINGECKO_API_KEY_FILE, SMTP_URL_FILE].sort()).toEqual(files.sort());
    expect(services.balancer.secrets).toBeUndefined();
  });
});
