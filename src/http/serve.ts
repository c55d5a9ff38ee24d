import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LONGEST_UPLOAD } from '../application/document/longest-upload.js';

type Served = {
  /** `http://host:port`, with the port that was really taken. */
  readonly address: string;
  /**
   * Takes no new connection, lets running requests finish for at most `deadline` ms, then cuts what is left.
   * Idle keep-alive connections are closed at once.
   */
  readonly stop: (deadline: number) => Promise<void>;
};

type ServeOptions = { readonly host: string; readonly port: number };

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

const MALFORMED = { status: 400, name: 'Validation Error', message: 'The request is not HTTP' };
const UNREADABLE: Readonly<Record<string, typeof MALFORMED>> = {
  HPE_HEADER_OVERFLOW: { status: 431, name: 'Request Header Fields Too Large', message: 'The headers are too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, name: 'Request Timeout', message: 'The request took too long' },
};

/** What cannot be read as a request gets the error object all the same, and its connection is closed. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const problem = UNREADABLE[error.code ?? ''] ?? MALFORMED;
  const errors = problem === MALFORMED ? [{ path: '', message: 'must be an HTTP/1.1 request' }] : undefined;
  const body = JSON.stringify({ ...problem, errors });
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.name}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** Serves HTTP/1.1 on an address; rejects with the system's error when it cannot be taken. */
export const serve = async (listener: RequestListener, { host, port }: ServeOptions): Promise<Served> => {
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT, requestTimeout: LONGEST_UPLOAD }, listener);
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  server.timeout = IDLE_TIMEOUT;
  // Who waits for "100 Continue" gets it from the reader of its body, so that a refused upload is never sent.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  server.on('clientError', refuse);
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
