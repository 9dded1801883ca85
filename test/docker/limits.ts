import { docker } from './stack.ts';

const MB = 2 ** 20;

/** The limits of each service, and the set of capabilities that its processes can have, as a mask. */
export const LIMITS = {
  api: { memory: 1024 * MB, pids: 128, added: null, capability: '0000000000000000' },
  balancer: {
    memory: 256 * MB,
    pids: 128,
    added: ['NET_BIND_SERVICE'],
    capability: '0000000000000400',
  },
  postgres: { memory: 1024 * MB, pids: 256, added: null, capability: '0000000000000000' },
};

/** The limits of a container as `docker inspect` reports them. */
export async function limitsOf(id: string) {
  const host = JSON.parse(await docker('inspect', id, '--format', '{{json .HostConfig}}'));
  return {
    memory: host.Memory,
    pids: host.PidsLimit,
    log: host.LogConfig,
    added: host.CapAdd,
    dropped: host.CapDrop,
    security: host.SecurityOpt,
    isReadOnly: host.ReadonlyRootfs,
  };
}
