/**
 * Connects to the inspector of a Node process that was started with `--inspect=127.0.0.1:port`. Rejects if the inspector
 * rejects a command.
 */
export async function openInspector(port: number) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const waiting = pending.get(id);
    pending.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  });
  return {
    send<Result>(method: string, params: object = {}): Promise<Result> {
      const waiting = Promise.withResolvers<unknown>();
      pending.set(++last, waiting);
      socket.send(JSON.stringify({ id: last, method, params }));
      return waiting.promise as Promise<Result>;
    },
    close: () => socket.close(),
  };
}

export type Inspector = Awaited<ReturnType<typeof openInspector>>;
