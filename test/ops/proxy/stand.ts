import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { Agent, request } from 'undici';
import { startSandbox } from '#sandbox/server';
import { freePort } from '../../../bench/stand/free-port.ts';
import { statisticsSettings } from '../../../fixtures/statistics-settings.ts';
import { openTestDatabase } from '../../support/database/database.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { readOps } from '../files.ts';
import { type Change, type ProxyName, startProxy, writeCertificate } from './proxies.ts';

const SECRETS = '/etc/quotient/secrets';
const TOKEN = 'an-operator-token-of-this-test-0123';

type Response = { status: number; headers: Record<string, string | string[] | undefined>; text: string };
type Options = { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string; from?: string };

/** Two processes with the settings of ops/quotient.env, of which the proxy knows a third that does not run. */
export async function openStand(settings: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'quotient-proxy-'));
  const certificate = writeCertificate(folder);
  const database = await openTestDatabase({ unshared: true });
  await mkdir(join(folder, 'secrets'));
  await writeFile(join(folder, 'secrets/database-url'), `${database.url}\n`);
  await writeFile(join(folder, 'secrets/admin-token'), `${TOKEN}\n`);
  const sandbox = await startSandbox();
  const env = {
    ...(parseEnv(readOps('quotient.env').replaceAll(SECRETS, join(folder, 'secrets'))) as Record<string, string>),
    ...{ PORT: '0', METRICS_PORT: '0', ADMIN_PORT: '0' },
    COINGECKO_URL: sandbox.coingeckoUrl,
    ...statisticsSettings(sandbox),
    ...settings,
  };
  const processes = await Promise.all([startServiceProcess(env), startServiceProcess(env)]);
  const ports = [...processes.map(({ url }) => Number(new URL(url).port)), await freePort()];
  const agents = new Map<string, Agent>();
  const agentFrom = (localAddress: string) => {
    const agent = agents.get(localAddress) ?? new Agent({ connect: { ca: certificate }, localAddress, allowH2: true });
    agents.set(localAddress, agent);
    return agent;
  };

  async function send(url: string, { from = '127.0.0.1', ...options }: Options = {}): Promise<Response> {
    const { statusCode, headers, body } = await request(url, { dispatcher: agentFrom(from), ...options });
    return { status: statusCode, headers, text: await body.text() };
  }

  return {
    folder,
    certificate,
    database,
    processes,
    send,
    /** Starts a proxy, and waits until it passes requests on. */
    async open(name: ProxyName, change?: Change) {
      const proxy = await startProxy(name, { folder, ports, ...(change && { change }) });
      const isReady = () =>
        send(`${proxy.url}/health/ready`).then(
          ({ status }) => status === 200,
          () => false,
        );
      while (!(await isReady())) {
        if (proxy.hasExited()) throw new Error(proxy.output());
        await wait(20);
      }
      return proxy;
    },
    async close(): Promise<void> {
      for (const agent of agents.values()) await agent.destroy();
      for (const process of processes) await process.stop();
      await sandbox.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Stand = Awaited<ReturnType<typeof openStand>>;
