import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { LONGEST_UPLOAD } from '../application/document/longest-upload.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import { connectionOf } from './budget/connection.js';
import { coalescingRequests } from './budget/coalescing-request.js';
import { type ConnectionLimits, type Connections, makeConnections } from './budget/connections.js';
import { type ProtocolFault, protocolFaultOf, type Unreadable, unreadableFault } from './protocol-fault.js';
import { sendProtocolErrorOnSocket, sendProtocolError } from './protocol-error-response.js';

type Served = {
  /** `http://host:port`, with the port that the system chose where it was 0. */
  readonly address: string;
  /**
   * Takes no new connection, lets running requests finish for at most `deadline` ms, then cuts what is left.
   * Idle keep-alive connections are closed at once.
   */
  readonly stop: (deadline: number) => Promise<void>;
};

/** What was refused as a violation of HTTP: its id is that of the answer, and of its `method` and `route` nothing is known. */
type Refused = {
  readonly requestId: string;
  readonly status: number;
  readonly code: string;
  /** Address of the other end of the connection. */
  readonly client: string;
};

type ServeOptions = {
  readonly runtime: Runtime;
  readonly host: string;
  readonly port: number;
  /** `headersMs`: the head of a request has to have come by then. */
  readonly limits?: Partial<ConnectionLimits & { readonly headersMs: number }>;
  /** Called with why a connection was cut or refused, one of a few sentences. */
  readonly onCut?: (reason: string) => void;
  /** Called with the error by which a connection ended within a request. */
  readonly onLost?: (error: Error) => void;
  /** Called with what was refused as a violation of HTTP, which never reaches the listener. */
  readonly onRefused?: (refused: Refused) => void;
};

type Refuse = (fault: ProtocolFault, socket: Socket, send: () => string | undefined) => void;

const LIMITS = { connections: 1_000, stallMs: 60_000, headersMs: 20_000 };

// An upload may take long; headers have to come at once.
const TIMEOUTS = {
  requestTimeout: LONGEST_UPLOAD,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

const hostIn = (address: string): string => (address.includes(':') ? `[${address}]` : address);

const addressOf = (server: Server): string => {
  // reason: a server that listens on a TCP port has this form of address
  const { address, port } = server.address() as AddressInfo;
  return `http://${hostIn(address)}:${port}`;
};

const stopper =
  (clock: Clock, server: Server, connections: Connections): Served['stop'] =>
  async (deadline) => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    // A connection that turns idle only later has to be found again.
    const stopClosing = clock.every(50, () => server.closeIdleConnections());
    const cancelCut = clock.after(deadline, connections.destroyAll);
    await closed;
    stopClosing();
    cancelCut();
    connections.stop();
  };

const TUNNEL: ProtocolFault = {
  status: 405,
  name: 'Method Not Allowed',
  message: 'There are no tunnels here',
  code: 'method_not_allowed',
};
const ALLOWED = 'DELETE, GET, HEAD, OPTIONS, POST, PUT';

const refuser =
  (onRefused: (refused: Refused) => void): Refuse =>
  ({ status, code }, socket, send) => {
    const requestId = send();
    if (requestId !== undefined) onRefused({ requestId, status, code, client: connectionOf(socket).address });
  };

/** What cannot be read as a request gets the error object too, after the responses that are still due. */
const onUnreadable = (runtime: Runtime, refuse: Refuse, error: Unreadable, socket: Socket): void => {
  // the rest of what was answered, which is discarded
  if (socket.writableEnded && error.code?.startsWith('HPE_') === true) return;
  const connection = connectionOf(socket);
  const fault = unreadableFault(error);
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && !connection.isIdle;
  // the client went within a request, which has a line of its own in the log
  const isGone = error.code === 'HPE_INVALID_EOF_STATE' && !connection.isIdle;
  const send = (): string | undefined => {
    const requestId = sendProtocolErrorOnSocket(runtime, fault, socket);
    return isGone ? undefined : requestId;
  };
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') connection.cutFor ??= 'a request was not sent in time';
  if (!socket.writable || error.code === 'ECONNRESET' || isLate) socket.destroy();
  else connection.endWith(() => refuse(fault, socket, send));
};

/** Node hands the connection of a CONNECT over to us: nobody else listens to its errors or ends it. */
const onTunnel = (runtime: Runtime, refuse: Refuse, socket: Socket): void => {
  socket.on('error', () => undefined);
  const send = (): string | undefined => sendProtocolErrorOnSocket(runtime, TUNNEL, socket, 'Allow', ALLOWED);
  connectionOf(socket).endWith(() => refuse(TUNNEL, socket, send));
};

/** Responds to a request. A promise that it returns resolves when no more is done for the request, and never rejects. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Serves the requests of each connection one after the other. What violates HTTP never reaches the listener. */
const oneByOne = (runtime: Runtime, listener: Listener, refuse: Refuse): RequestListener => {
  const respond: Listener = (request, response) => {
    const fault = protocolFaultOf(request);
    if (fault === undefined) return listener(request, response);
    refuse(fault, request.socket, () => sendProtocolError(runtime, fault, request, response));
    return undefined;
  };
  return (request, response) => connectionOf(request.socket).add({ request, response, respond });
};

/** A server of HTTP/1.1 that listens nowhere yet. */
export const makeServer = (
  listener: Listener,
  {
    runtime,
    limits = {},
    onCut = () => undefined,
    onLost = () => undefined,
    onRefused = () => undefined,
  }: Omit<ServeOptions, 'host' | 'port'>,
): { readonly server: Server; readonly stop: Served['stop'] } => {
  const refuse = refuser(onRefused);
  const onRequest = oneByOne(runtime, listener, refuse);
  const connectionLimits = { ...LIMITS, ...limits };
  const connections = makeConnections(runtime.clock, connectionLimits, { onCut, onLost });
  const timeouts = { ...TIMEOUTS, headersTimeout: connectionLimits.headersMs };
  const requests = { requireHostHeader: false, IncomingMessage: coalescingRequests(runtime.clock) };
  const server = createServer({ ...timeouts, ...requests }, onRequest);
  // By default Node drops all headers beyond a thousand without a word: an If-Match among them would not count.
  server.maxHeadersCount = 0;
  // The reader of a body sends "100 Continue", so that an upload that is not wanted is never sent.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: Unreadable, socket: Socket) => onUnreadable(runtime, refuse, error, socket));
  server.on('connect', (request) => onTunnel(runtime, refuse, request.socket));
  server.on('connection', connections.accept);
  return { server, stop: stopper(runtime.clock, server, connections) };
};

/** Serves HTTP/1.1 on an address; rejects with the system's error when it cannot be taken. */
export const serve = async (listener: Listener, { host, port, ...options }: ServeOptions): Promise<Served> => {
  const { server, stop } = makeServer(listener, options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { address: addressOf(server), stop };
};
