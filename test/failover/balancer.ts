import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../bench/stand/free-port.ts';
import { makeDirectory, startDaemon } from './daemon.ts';
import type { Member } from './member.ts';

/** docs/operating.md recommends these settings. */
const settingsFor = (port: number, members: readonly Member[]) => `
defaults
  mode tcp
  retries 0
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(({ name, port, restPort }) => `  server ${name} 127.0.0.1:${port} port ${restPort}`).join('\n')}
`;

/** HAProxy, which passes connections to the primary. */
export async function startBalancer(folder: string, members: readonly Member[]) {
  const port = await freePort();
  const home = await makeDirectory(join(folder, 'haproxy'));
  const settings = join(home, 'haproxy.cfg');
  await writeFile(settings, settingsFor(port, members), { mode: 0o644 });
  const daemon = await startDaemon(join(home, 'log'), 'haproxy', ['-db', '-f', settings]);
  return { port, close: () => daemon.end('SIGTERM') };
}
