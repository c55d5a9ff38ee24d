import { type Agent, type ClientRequest, type IncomingMessage, request as begin } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SoakRequest } from './operations.js';

/** Where a client ends its request, so long (ms) after it has come there, and whether it resets the connection. */
type Abort = { readonly point: AbortPoint; readonly after: number; readonly resets: boolean };
type AbortPoint = (typeof abortPoints)[number];
export const abortPoints = [
  'in the head',
  'in the body',
  'before the answer',
  'after its head',
  'in the answer',
] as const;

const ANSWER_LIMIT = 10_000; // ms

const leave = ({ resets }: Abort, sending: ClientRequest): void => {
  if (resets) sending.socket?.resetAndDestroy();
  sending.destroy();
};

/** Half of a request's head, on a connection of its own. */
const abortInHead = async (address: URL, { method, path }: SoakRequest, { after, resets }: Abort): Promise<void> => {
  const socket = connect({ port: Number(address.port), host: address.hostname });
  socket.on('error', () => undefined).write(`${method} ${path} HTTP/1.1\r\nHost: ${address.host}\r\nAuthor`);
  await delay(after);
  if (resets) socket.resetAndDestroy();
  else socket.destroy();
};

const read = async (response: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = [];
  for await (const chunk of response) chunks.push(chunk as Buffer); // reason: no encoding was set
  return Buffer.concat(chunks).toString();
};

const open = (address: URL, { method, path, headers, body }: SoakRequest, token: string, agent: Agent | false) =>
  begin(new URL(path, address), {
    method,
    agent,
    headers: {
      ...headers,
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Length': body.length }),
    },
    signal: AbortSignal.timeout(ANSWER_LIMIT),
  });

/** Sends a request and leaves at the point that is said, or at the end of its answer where that is sooner. */
export const abortRequest = async (address: URL, request: SoakRequest, token: string, abort: Abort): Promise<void> => {
  const { point, after } = abort;
  if (point === 'in the head') return abortInHead(address, request, abort);
  const sending = open(address, request, token, false);
  const left = new Promise<void>((resolve) => sending.on('error', () => undefined).on('close', resolve));
  const leaveSoon = (): void => void setTimeout(leave, after, abort, sending);
  sending.on('response', (response) => {
    response.on('error', () => undefined);
    if (point === 'in the answer') response.once('data', leaveSoon).once('end', leaveSoon);
    else leaveSoon();
  });
  const half = request.body?.subarray(0, request.body.length / 2);
  if (point === 'in the body' && half !== undefined) {
    sending.write(half);
    leaveSoon();
  } else {
    sending.end(request.body);
    if (point === 'in the body' || point === 'before the answer') leaveSoon();
  }
  return left;
};

/** Sends a request and reads its answer. Its status, or what happened in its place. */
export const performRequest = (
  address: URL,
  request: SoakRequest,
  token: string,
  agent: Agent,
): Promise<number | string> =>
  new Promise((resolve) => {
    const sending = open(address, request, token, agent);
    sending.on('error', ({ name, message }) => resolve(name === 'AbortError' ? 'no answer' : message));
    sending.on('response', (response) => {
      read(response).then(
        (text) => {
          if (response.statusCode === 200) request.take?.(text);
          resolve(response.statusCode ?? 0);
        },
        (error: unknown) => resolve(`cut: ${String(error)}`),
      );
    });
    sending.end(request.body);
  });
