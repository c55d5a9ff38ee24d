import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Served = {
  /** `http://host:port`, with the port that was really taken. */
  readonly address: string;
  /**
   * Takes no new connection, lets running requests finish for at most `deadline` ms, then cuts what is left.
   * Idle keep-alive connections are closed at once.
   */
  readonly stop: (deadline: number) => Promise<void>;
};

export type ServeOptions = { readonly host: string; readonly port: number };

/** Longest time, ms, from the first byte of a request to its last: what an upload may last. */
export const MAX_REQUEST_DURATION = 3_600_000;

// An upload may take long, its silence may not; headers have to come at once.
const HEADERS_TIMEOUT = 20_000;
const IDLE_TIMEOUT = 120_000;
const KEEP_ALIVE_TIMEOUT = 65_000;

const hostIn = (address: string): string => (address.includes(':') ? `[${address}]` : address);

const addressOf = (server: Server): string => {
  // reason: a server that listens on a TCP port has this form of address
  const { address, port } = server.address() as AddressInfo;
  return `http://${hostIn(address)}:${port}`;
};

const stopper = (server: Server, sockets: ReadonlySet<Socket>): Served['stop'] => {
  return async (deadline) => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    // A connection that turns idle only later has to be found again.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const cut = setTimeout(() => sockets.forEach((socket) => socket.destroy()), deadline);
    await closed;
    clearInterval(idle);
    clearTimeout(cut);
  };
};

/** Serves HTTP/1.1 on an address; rejects with the system's error when it cannot be taken. */
export const serve = async (listener: RequestListener, { host, port }: ServeOptions): Promise<Served> => {
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT, requestTimeout: MAX_REQUEST_DURATION }, listener);
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  server.timeout = IDLE_TIMEOUT;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { address: addressOf(server), stop: stopper(server, sockets) };
};
