import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/** What goes through the port: bytes, or null when the other end has taken what was sent last and wants more. */
type Message = Uint8Array<ArrayBuffer> | null;

/**
 * One end of a `MessageChannel` as a stream of bytes, with what `pg` asks of a socket. A port has no flow control of its
 * own: all that was sent arrives in one turn of the loop. So each piece waits until the one before it was taken.
 */
export class PortStream extends Duplex {
  readonly #open: (() => Promise<MessagePort>) | undefined;
  #port: MessagePort | undefined;
  #taken: (() => void) | undefined;
  #isOwed = false;

  /** @param port where it goes through, or how to get one when `connect` is called */
  constructor(port: MessagePort | (() => Promise<MessagePort>)) {
    super({ allowHalfOpen: false });
    if (typeof port === 'function') this.#open = port;
    else this.#attach(port);
  }

  /** As a socket has it: emits `connect`, or is destroyed with the reason. */
  connect(): this {
    this.#open?.().then(
      (port) => {
        if (this.destroyed) return port.close();
        this.#attach(port);
        this.emit('connect');
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.#port?.ref();
    return this;
  }

  unref(): this {
    this.#port?.unref();
    return this;
  }

  override _read(): void {
    if (!this.#isOwed) return;
    this.#isOwed = false;
    this.#port?.postMessage(null);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port?.close();
    this.#finishWrite(); // or whoever waits for it would wait for ever
    done(error);
  }

  #send(chunks: Buffer[], done: () => void): void {
    // A copy that is handed over: what a buffer is a part of would be copied along with it.
    const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#taken = done;
    this.#port?.postMessage(bytes, [bytes.buffer]);
  }

  #finishWrite(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  #attach(port: MessagePort): void {
    this.#port = port;
    port.on('message', (message: Message) => {
      if (message === null) {
        this.#finishWrite();
        return;
      }
      this.#isOwed = true;
      this.push(message);
    });
    port.on('close', () => this.destroy());
  }
}
