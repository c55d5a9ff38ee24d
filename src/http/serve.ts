import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { LONGEST_UPLOAD } from '../application/document/longest-upload.js';
import { connectionOf } from './budget/connection.js';
import { GatheringRequest } from './budget/gathering-request.js';
import { type ConnectionLimits, type Connections, makeConnections } from './budget/connections.js';
import { type ProtocolFault, protocolFaultOf, type Unreadable, unreadableFault } from './protocol-fault.js';
import { refuseOnSocket, refuseRequest } from './refuse.js';

type Served = {
  /** `http://host:port`, with the port that was really taken. */
  readonly address: string;
  /**
   * Takes no new connection, lets running requests finish for at most `deadline` ms, then cuts what is left.
   * Idle keep-alive connections are closed at once.
   */
  readonly stop: (deadline: number) => Promise<void>;
};

/** The head of a request has to have come by then, ms. */
type HeadersLimit = { readonly headersMs: number };

type ServeOptions = {
  readonly host: string;
  readonly port: number;
  readonly limits?: Partial<ConnectionLimits & HeadersLimit>;
  /** Told why a connection was cut or refused, in one of a few sentences. */
  readonly onCut?: (reason: string) => void;
};

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

const stopper = (server: Server, connections: Connections): Served['stop'] => {
  return async (deadline) => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    // A connection that turns idle only later has to be found again.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const cut = setTimeout(connections.destroyAll, deadline);
    await closed;
    clearInterval(idle);
    clearTimeout(cut);
    connections.stop();
  };
};

const TUNNEL: ProtocolFault = { status: 405, name: 'Method Not Allowed', message: 'There are no tunnels here' };
const ALLOWED = 'DELETE, GET, HEAD, OPTIONS, POST, PUT';

/** What cannot be read as a request gets the error object all the same, behind the answers that are still due. */
const refuseUnreadable = (error: Unreadable, socket: Socket): void => {
  const connection = connectionOf(socket);
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && !connection.isVacant;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') connection.cutFor ??= 'a request was not sent in time';
  if (!socket.writable || error.code === 'ECONNRESET' || isLate) socket.destroy();
  else connection.endWith(() => refuseOnSocket(unreadableFault(error), socket));
};

/** Node lets go of the connection that CONNECT comes on: nobody else would hear its failure, or see its end. */
const refuseTunnel = (socket: Socket): void => {
  socket.on('error', () => undefined);
  connectionOf(socket).endWith(() => refuseOnSocket(TUNNEL, socket, 'Allow', ALLOWED));
};

/** Answers a request. What it gives resolves when no more is done for the request, and never rejects. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Answers the requests of each connection in turn, and those that HTTP does not allow without the listener. */
const inTurn =
  (listener: Listener): RequestListener =>
  (request, response) => {
    connectionOf(request.socket).add({ request, response }, async () => {
      const fault = protocolFaultOf(request);
      if (fault === undefined) await listener(request, response);
      else refuseRequest(fault, response);
    });
  };

/** Serves HTTP/1.1 on an address; rejects with the system's error when it cannot be taken. */
export const serve = async (
  listener: Listener,
  { host, port, limits = {}, onCut = () => undefined }: ServeOptions,
): Promise<Served> => {
  const take = inTurn(listener);
  const connectionLimits = { ...LIMITS, ...limits };
  const connections = makeConnections(connectionLimits, onCut);
  const timeouts = { ...TIMEOUTS, headersTimeout: connectionLimits.headersMs };
  const server = createServer({ ...timeouts, requireHostHeader: false, IncomingMessage: GatheringRequest }, take);
  // Who waits for "100 Continue" gets it from the reader of its body, so that a refused upload is never sent.
  server.on('checkContinue', take);
  server.on('checkExpectation', take);
  server.on('clientError', refuseUnreadable);
  server.on('connect', (request) => refuseTunnel(request.socket));
  server.on('connection', connections.accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { address: addressOf(server), stop: stopper(server, connections) };
};
