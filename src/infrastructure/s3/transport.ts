import http from 'node:http';
import https from 'node:https';
import type { Clock } from '../../event-sourcing/clock.js';

/** How long a request may wait, in ms: for a connection, and for the next byte in either direction. */
export type Timeouts = { readonly connectMs: number; readonly idleMs: number };

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 5_000, idleMs: 30_000 };

/** The server answered that it cannot serve now: too many requests, or an error of its own. */
export class ServerBusy extends Error {
  constructor(status: number) {
    super(`the server answered ${status}`);
  }
}

/** A timeout has passed without a connection or a byte. */
export class ServerSilent extends Error {}

/** Further requests wait for a connection to become free, `connectMs` at most. */
const MAX_CONNECTIONS = 128;
const MAX_IDLE_CONNECTIONS = 16;

export type Connections = {
  readonly agent: http.Agent;
  readonly request: typeof http.request;
  /** Closes the connections that are idle. */
  readonly close: () => void;
};

/** A pool of keep-alive connections; `request` is Node's own, of `https` or of `http`. */
export const openConnections = (isSecure: boolean): Connections => {
  const { Agent, request } = isSecure ? https : http;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_CONNECTIONS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    scheduling: 'lifo',
  });
  return { agent, request, close: () => agent.destroy() };
};

const NOT_IMPLEMENTED = 501; // which the library reads like any refusal

const isBusy = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== NOT_IMPLEMENTED);

const limitConnecting = (clock: Clock, request: http.ClientRequest, { connectMs }: Timeouts): void => {
  const giveUp = (): void => void request.destroy(new ServerSilent(`no connection within ${connectMs} ms`));
  const stop = clock.after(connectMs, giveUp);
  request.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', stop);
    else stop();
  });
  request.once('close', stop);
};

const limitSilence = (request: http.ClientRequest, { idleMs }: Timeouts): void => {
  let response: http.IncomingMessage | undefined;
  request.once('response', (received) => (response = received));
  request.setTimeout(idleMs, () => {
    // with received bytes still unread the reader is slow, not the server
    if (response !== undefined && response.readableLength > 0) request.socket?.setTimeout(idleMs);
    else (response ?? request).destroy(new ServerSilent(`no byte within ${idleMs} ms`));
  });
};

/**
 * Node's `request` with timeouts, in the form that the client library takes. A response of a busy server fails the
 * request with `ServerBusy`: the library would never read such a response, and so never free its connection.
 */
export const transportWithTimeouts = (
  clock: Clock,
  request: typeof http.request,
  timeouts: Timeouts,
): { readonly request: typeof http.request } => {
  const requestWithTimeouts = (
    options: https.RequestOptions,
    onResponse: (response: http.IncomingMessage) => void,
  ): http.ClientRequest => {
    const sent = request(options);
    limitConnecting(clock, sent, timeouts);
    limitSilence(sent, timeouts);
    sent.once('response', (response) => {
      const { statusCode: status = 0 } = response;
      if (isBusy(status)) sent.destroy(new ServerBusy(status));
      else onResponse(response);
    });
    return sent;
  };
  // reason: of the overloads of `request` the client library uses this one
  return { request: requestWithTimeouts as typeof http.request };
};
