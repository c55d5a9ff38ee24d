import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LONGEST_UPLOAD } from '../application/document/longest-upload.js';
import type { Fault } from './problem/failure.js';
import { JSON_TYPE } from './response/answer.js';

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

type Refusal = {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  readonly errors?: ReadonlyArray<Fault>;
};

const MALFORMED: Refusal = {
  status: 400,
  name: 'Validation Error',
  message: 'The request is not HTTP',
  errors: [{ path: '', message: 'must be an HTTP/1.1 request' }],
};
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, name: 'Request Header Fields Too Large', message: 'The headers are too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, name: 'Request Timeout', message: 'The request took too long' },
};
const NAMELESS: Refusal = {
  status: 400,
  name: 'Validation Error',
  message: 'The request is not valid',
  errors: [{ path: 'Host', message: 'is required' }],
};
const TUNNEL: Refusal = { status: 405, name: 'Method Not Allowed', message: 'There are no tunnels here' };
const ALLOWED = 'DELETE, GET, HEAD, OPTIONS, POST, PUT';

/** Name, value, name, value … of an answer after which the connection is closed. */
const headersOf = (body: string): Array<string> => [
  ...['Content-Type', JSON_TYPE, 'Content-Length', String(Buffer.byteLength(body))],
  ...['X-Content-Type-Options', 'nosniff', 'Connection', 'close'],
];

/** The error object on a connection that no response belongs to, which is then closed. */
const refuse = (refusal: Refusal, socket: Duplex, ...more: ReadonlyArray<string>): void => {
  const body = JSON.stringify(refusal);
  const pairs = [...headersOf(body), ...more];
  const lines = pairs.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${pairs[index + 1] ?? ''}`] : []));
  socket.end([`HTTP/1.1 ${refusal.status} ${refusal.name}`, ...lines, '', body].join('\r\n'));
};

/** What cannot be read as a request gets the error object all the same, and its connection is closed. */
const refuseUnreadable = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else refuse(UNREADABLE[error.code ?? ''] ?? MALFORMED, socket);
};

/** Node lets go of the connection that CONNECT comes on: nobody else would hear its failure, or see its end. */
const refuseTunnel = (socket: Duplex): void => {
  socket.on('error', () => undefined).once('finish', () => socket.destroy());
  refuse(TUNNEL, socket, 'Allow', ALLOWED);
};

/** RFC 9112 §3.2: from HTTP/1.1 on a request names its host. Node would answer the others without the error object. */
const hosted =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion !== '1.1') {
      listener(request, response);
      return;
    }
    const body = JSON.stringify(NAMELESS);
    response.writeHead(NAMELESS.status, headersOf(body)).end(body);
  };

/** Serves HTTP/1.1 on an address; rejects with the system's error when it cannot be taken. */
export const serve = async (listener: RequestListener, { host, port }: ServeOptions): Promise<Served> => {
  const take = hosted(listener);
  const timeouts = { headersTimeout: HEADERS_TIMEOUT, requestTimeout: LONGEST_UPLOAD };
  const server = createServer({ ...timeouts, requireHostHeader: false }, take);
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  server.timeout = IDLE_TIMEOUT;
  // Who waits for "100 Continue" gets it from the reader of its body, so that a refused upload is never sent.
  server.on('checkContinue', take);
  server.on('checkExpectation', take);
  server.on('clientError', refuseUnreadable);
  server.on('connect', (_, socket) => refuseTunnel(socket));
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
