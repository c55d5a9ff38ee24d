import type { IncomingMessage } from 'node:http';
import { invalid, type Problem } from './problem/problem.js';

/** A violation of HTTP, in the form of the error object. The connection is closed with the response. */
export type ProtocolFault = Omit<Problem, 'closes' | 'headers'>;

const VERSION: ProtocolFault = {
  status: 505,
  name: 'HTTP Version Not Supported',
  message: 'The service speaks HTTP/1.1',
  code: 'http_version_not_supported',
};
const CODING: ProtocolFault = {
  status: 501,
  name: 'Not Implemented',
  message: 'The only Transfer-Encoding is chunked',
  code: 'transfer_encoding_not_supported',
};
const MALFORMED: ProtocolFault = {
  ...invalid('request_malformed', { path: '', message: 'must be an HTTP/1.1 request' }),
  message: 'The request could not be read as HTTP/1.1',
};
const METHOD: ProtocolFault = {
  status: 501,
  name: 'Not Implemented',
  message: 'The service does not know this method',
  code: 'method_not_known',
};
const hostFault = (message: string): ProtocolFault => invalid('host_invalid', { path: 'Host', message });
const HOST_MISSING = hostFault('is required');
const HOST_REPEATED = hostFault('must be given once');
const repeated = (path: string): ProtocolFault => invalid('request_malformed', { path, message: 'must be given once' });
const HOST_INVALID = hostFault('must be a host name or an address, with a port or without');

const unreadable: Readonly<Record<string, ProtocolFault>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    name: 'Request Header Fields Too Large',
    message: 'The headers are too long',
    code: 'headers_too_large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    name: 'Request Timeout',
    message: 'The request took too long',
    code: 'request_timeout',
  },
  HPE_INVALID_VERSION: VERSION,
  HPE_PAUSED_H2_UPGRADE: VERSION,
  HPE_INVALID_TRANSFER_ENCODING: CODING,
};

/** Node's error about bytes that it could not read as a request. */
export type Unreadable = {
  readonly code?: string;
  readonly reason?: unknown;
  /** What had come, as far as it was kept, and how much of it was read. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
};

// Node has one code for an unknown coding and a coding beside a length (request smuggling), and one for an unknown
// version and a request line that goes on after its version. Only its reason tells them apart.
const ONLY_MALFORMED = /Content-Length|Expected/;

const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.\d\r?$/;

/** Whether the line at which Node stopped is that of a request (RFC 9112 §3): Node stops within a method that it does not know. */
const isRequestLine = ({ rawPacket, bytesParsed = 0 }: Unreadable): boolean => {
  if (rawPacket === undefined) return false;
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  const end = rawPacket.indexOf('\n', start);
  return end >= 0 && REQUEST_LINE.test(rawPacket.toString('latin1', start, end));
};

/** What is wrong with bytes that Node could not read as a request. */
export const unreadableFault = (error: Unreadable): ProtocolFault => {
  const { code = '', reason } = error;
  if (code === 'HPE_INVALID_METHOD' && isRequestLine(error)) return METHOD;
  return typeof reason === 'string' && ONLY_MALFORMED.test(reason) ? MALFORMED : (unreadable[code] ?? MALFORMED);
};

// RFC 3986 §3.2: uri-host [":" port]; a registered name is never empty in an http URI (RFC 9110 §4.2.1)
const HOST = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Of these Node keeps the first and drops the others without a word; a proxy may have looked at another one. */
const ONCE = new Map([
  ['host', HOST_REPEATED],
  ['content-type', repeated('Content-Type')],
  ['authorization', repeated('Authorization')],
]);
// every request passes here: to compare lengths first halves the cost
const LENGTHS = new Set([...ONCE.keys()].map(({ length }) => length));

const repeatedFaultOf = ({ rawHeaders }: IncomingMessage): ProtocolFault | undefined => {
  const found = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (!LENGTHS.has(given.length)) continue;
    const name = given.toLowerCase();
    if (found.has(name)) return ONCE.get(name);
    if (ONCE.has(name)) found.add(name);
  }
  return undefined;
};

/** RFC 9112 §3.2: one valid Host; HTTP/1.0 may go without. */
const hostFaultOf = ({ headers, httpVersionMinor }: IncomingMessage): ProtocolFault | undefined => {
  if (headers.host === undefined) return httpVersionMinor === 0 ? undefined : HOST_MISSING;
  return HOST.test(headers.host) ? undefined : HOST_INVALID;
};

/**
 * What Node lets pass and RFC 9112 does not, another version (§2.3), another coding (§6.1), an invalid host (§3.2); and the
 * headers of which it drops all but the first.
 */
export const protocolFaultOf = (request: IncomingMessage): ProtocolFault | undefined => {
  if (request.httpVersionMajor !== 1) return VERSION;
  const twice = repeatedFaultOf(request);
  if (twice !== undefined) return twice;
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined) return hostFaultOf(request);
  // a coding that HTTP/1.0 does not have is faulty framing (RFC 9112 §6.1)
  if (request.httpVersionMinor === 0) return MALFORMED;
  return coding.toLowerCase() === 'chunked' ? hostFaultOf(request) : CODING;
};
