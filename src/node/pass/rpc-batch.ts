import { Problem } from '#core/problems';
import { createConcurrencyLimit } from '#server/connections/loop-turns';
import { idOf, type RpcCall, readRpcCall } from './rpc-call.ts';
import { RPC, RpcFault, type RpcId } from './rpc-error.ts';

/** The maximum number of calls in a batch: the default of CosmJS. */
export const MAX_BATCH = 20;
/** A user's concurrent batches. Each batch keeps its responses until the client has read them. */
const MAX_BATCHES = 4;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

export const createBatchLimit = () =>
  createConcurrencyLimit<number>(MAX_BATCHES, (max) => {
    const detail = `You already have ${max} concurrent batches, which is the maximum. Wait until one of them has completed.`;
    return new Problem('overloaded', detail, { retryAfter: 1 });
  });

/** Throws `RpcFault` for a batch that is empty or too long. */
export function assertBatch({ length }: readonly unknown[]): void {
  if (length === 0) throw new RpcFault(RPC.request, 'Invalid request: the batch is empty.');
  if (length > MAX_BATCH)
    throw new RpcFault(RPC.request, `Invalid request: a batch must not contain more than ${MAX_BATCH} calls.`);
}

type Handlers = {
  /** Waits for one of the user's places, until the returned function is called. */
  enter: () => Promise<() => void>;
  call: (call: RpcCall) => Promise<Buffer>;
  /** The JSON of an error. */
  reject: (id: RpcId, error: unknown) => string;
};

/** The responses of a batch in the order of its calls. Notifications have none: a batch of them has an empty body. */
export async function answerBatch(elements: readonly unknown[], { enter, call, reject }: Handlers): Promise<Buffer> {
  let left = MAX_BATCH_BYTES;
  let broadcasts = 0;

  async function answer(id: RpcId, element: unknown): Promise<Buffer> {
    const checked = readRpcCall(element);
    if (checked.broadcast && ++broadcasts > 1)
      throw new RpcFault(RPC.params, 'Invalid params: a batch must not contain more than one broadcast.');
    const leave = await enter();
    try {
      const bytes = await call(checked);
      if (bytes.length > left) {
        throw new RpcFault(
          RPC.internal,
          `The responses of the batch are larger than ${MAX_BATCH_BYTES >> 20} MB. Send call ${id} on its own.`,
        );
      }
      left -= bytes.length;
      return bytes;
    } finally {
      leave();
    }
  }

  const answers = await Promise.all(
    elements.map(async (element) => {
      const id = idOf(element);
      if (id === undefined) return undefined;
      return answer(id, element).catch((error) => Buffer.from(reject(id, error)));
    }),
  );
  const parts = answers.filter((one) => one !== undefined).flatMap((one) => [Buffer.from(','), one]);
  return parts.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from('['), ...parts.slice(1), Buffer.from(']')]);
}
