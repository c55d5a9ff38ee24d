import type http from 'node:http';
import type https from 'node:https';
import type { Patience } from './patience.js';

/** The server answered that it cannot serve now: too busy, or broken for the moment. */
export class ServerBusy extends Error {
  constructor(status: number) {
    super(`the server answered ${status}`);
  }
}

/** Nothing came in time. */
export class ServerSilent extends Error {}

const isBusy = (status: number): boolean => status === 408 || status === 429 || status >= 500;

const waitForConnection = (request: http.ClientRequest, { connectMs }: Patience): void => {
  const giveUp = (): void => void request.destroy(new ServerSilent(`no connection within ${connectMs} ms`));
  const timer = setTimeout(giveUp, connectMs);
  const stop = (): void => clearTimeout(timer);
  request.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', stop);
    else stop();
  });
  request.once('close', stop);
};

const watchSilence = (request: http.ClientRequest, { idleMs }: Patience): void => {
  let response: http.IncomingMessage | undefined;
  request.once('response', (received) => (response = received));
  request.setTimeout(idleMs, () => {
    // bytes that wait to be read: the reader is slow, not the server
    if (response !== undefined && response.readableLength > 0) request.socket?.setTimeout(idleMs);
    else (response ?? request).destroy(new ServerSilent(`no byte within ${idleMs} ms`));
  });
};

/**
 * Node's `request` with an end to every wait. An answer that says "not now" fails the request, as a lost connection
 * does: the client library would drop such an answer unread and keep its connection for ever.
 */
export const patientTransport = (
  request: typeof http.request,
  patience: Patience,
): { readonly request: typeof http.request } => {
  const patiently = (
    options: https.RequestOptions,
    onResponse: (response: http.IncomingMessage) => void,
  ): http.ClientRequest => {
    const sent = request(options);
    waitForConnection(sent, patience);
    watchSilence(sent, patience);
    sent.once('response', (response) => {
      const { statusCode: status = 0 } = response;
      if (isBusy(status)) sent.destroy(new ServerBusy(status));
      else onResponse(response);
    });
    return sent;
  };
  // reason: of the overloads of `request` the client library uses this one
  return { request: patiently as typeof http.request };
};
