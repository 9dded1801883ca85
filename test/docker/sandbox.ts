import { connect, createServer } from 'node:net';
import { startSandbox } from '#sandbox/server';

// Stand-ins for the upstreams that other containers can use. The sandbox itself listens only on 127.0.0.1.
const sandbox = await startSandbox({ plan: 'pro' });
const { port } = new URL(sandbox.coingeckoUrl);

const server = createServer((outer) => {
  const inner = connect(Number(port), '127.0.0.1');
  outer.pipe(inner).pipe(outer);
  outer.on('error', () => inner.destroy());
  inner.on('error', () => outer.destroy());
});
server.listen(Number(process.env.PORT), () => console.log('the sandbox listens'));
process.once('SIGTERM', () => process.exit());
