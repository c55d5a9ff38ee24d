import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ProtocolFault } from './protocol-fault.js';
import { JSON_TYPE } from './response/http-response.js';

/** Name, value, name, value … of a response after which the connection is closed. */
const headersOf = (body: string): Array<string> => [
  ...['Content-Type', JSON_TYPE, 'Content-Length', String(Buffer.byteLength(body))],
  ...['X-Content-Type-Options', 'nosniff', 'Connection', 'close'],
];

/** Sends the error object in response to a request that Node could read. */
export const sendProtocolError = (fault: ProtocolFault, response: ServerResponse): void => {
  const body = JSON.stringify(fault);
  response.writeHead(fault.status, fault.name, headersOf(body)).end(body);
};

/** Sends the error object on a socket for which Node has made no response. */
export const sendProtocolErrorOnSocket = (
  fault: ProtocolFault,
  socket: Duplex,
  ...more: ReadonlyArray<string>
): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(fault);
  const pairs = [...headersOf(body), ...more];
  const lines = pairs.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${pairs[index + 1] ?? ''}`] : []));
  socket.once('finish', () => socket.destroy());
  socket.end([`HTTP/1.1 ${fault.status} ${fault.name}`, ...lines, '', body].join('\r\n'));
};
