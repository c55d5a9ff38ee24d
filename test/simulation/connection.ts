import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { World } from './world.js';

/** Longest time that bytes are on their way, ms. */
const WAY_MS = 3;

/** One end of a connection in memory, with what Node's HTTP server and client ask of a socket. */
class End extends Duplex {
  readonly remoteAddress: string;
  readonly remotePort = 1;
  bytesRead = 0;
  bytesWritten = 0;
  other: End | undefined;
  readonly #world: World;
  /** What was written arrives in its order. */
  #line: Promise<unknown> = Promise.resolve();

  constructor(world: World, remoteAddress: string) {
    super({ allowHalfOpen: true });
    this.#world = world;
    this.remoteAddress = remoteAddress;
    // whoever uses the connection listens, too; a reset between two requests concerns nobody
    this.on('error', () => undefined);
  }

  override _read(): void {
    // the other end pushes
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const bytes = Buffer.from(chunk);
    this.#later(() => {
      const { other } = this;
      if (other !== undefined && !other.destroyed) {
        other.bytesRead += bytes.length;
        other.push(bytes);
      }
      this.bytesWritten += bytes.length;
      done();
    });
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#later(() => {
      if (this.other?.destroyed === false) this.other.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { other } = this;
    void this.#world.sleep(this.#world.random() * WAY_MS).then(() => {
      if (other?.destroyed === false)
        other.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    });
    done(error);
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  // of a socket, and without a meaning here: its times are those of the system
  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  #later(deliver: () => void): void {
    this.#line = this.#line
      .then(() => this.#world.sleep(this.#world.random() * WAY_MS))
      .then(() => (this.destroyed ? undefined : deliver()));
  }
}

/** The two ends of a connection. Bytes take their time, and arrive in their order. */
export const connect = (world: World, address: string): { readonly client: Socket; readonly server: Socket } => {
  const [client, server] = [new End(world, '127.0.0.1'), new End(world, address)];
  [client.other, server.other] = [server, client];
  // reason: it has what of a socket is used
  return { client: client as unknown as Socket, server: server as unknown as Socket };
};
