import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Runtime } from '../event-sourcing/runtime.js';
import { errorBody } from './problem/error-body.js';
import { PROBLEM_TYPE, problemDetails, wantsProblemDetails } from './problem/problem-details.js';
import type { ProtocolFault } from './protocol-fault.js';
import { requestIdOf } from './request/request-id.js';
import { fixedHeaders } from './response/fixed-headers.js';
import { JSON_TYPE } from './response/http-response.js';
import { hasUnreadBody, linger } from './response/unread-body.js';

/** Name, value, name, value … of a response after which the connection is closed. */
const headersOf = (body: string, requestId: string, contentType = JSON_TYPE): Array<string> => [
  ...['Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(body))],
  ...[...fixedHeaders(requestId), 'Connection', 'close'],
];

/** The form of an error depends on what the request accepts. */
const VARY = ['Vary', 'Accept'];

/** Sends the error object in response to a request that Node could read; gives the id of the request. */
export const sendProtocolError = (
  { clock, random }: Runtime,
  fault: ProtocolFault,
  request: IncomingMessage,
  response: ServerResponse,
): string => {
  const requestId = requestIdOf(random, request.headers['x-request-id']);
  const respond = (body: string, headers: Array<string>): void => {
    response.writeHead(fault.status, fault.name, headers).write(body);
    if (hasUnreadBody(request)) linger(clock, request, () => response.end());
    else response.end();
  };
  if (wantsProblemDetails(request.headers.accept)) {
    const details = problemDetails(fault, requestId);
    respond(details, [...headersOf(details, requestId, PROBLEM_TYPE), ...VARY]);
  } else {
    const body = JSON.stringify(errorBody(fault, requestId));
    respond(body, [...headersOf(body, requestId), ...VARY]);
  }
  return requestId;
};

/** Sends the error object on a socket for which Node has made no response; gives the id of the request, if it is sent. */
export const sendProtocolErrorOnSocket = (
  { clock, random }: Runtime,
  fault: ProtocolFault,
  socket: Duplex,
  ...more: ReadonlyArray<string>
): string | undefined => {
  if (!socket.writable) {
    socket.destroy();
    return undefined;
  }
  const requestId = requestIdOf(random, undefined);
  const body = JSON.stringify(errorBody(fault, requestId));
  const pairs = [...headersOf(body, requestId), 'Date', clock.date().toUTCString(), ...more];
  const lines = pairs.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${pairs[index + 1] ?? ''}`] : []));
  linger(clock, socket, () => socket.destroy());
  socket.end([`HTTP/1.1 ${fault.status} ${fault.name}`, ...lines, '', body].join('\r\n'));
  return requestId;
};
