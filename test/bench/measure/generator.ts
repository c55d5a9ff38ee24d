/**
 * The load generator's own process: HTTP on bare sockets, requests put together beforehand, of the answers only what
 * tells where they end. 15 µs a request, where a client that hands out answers takes several times that and would be
 * what is measured.
 */
import { connect } from 'node:net';
import type { Load, LoadResult } from './load.js';
import { sendOn } from './send.js';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_CHUNKS = Buffer.from('\r\n0\r\n\r\n');

const businessText = (run: number, count: number): string => {
  const key = `${run}-${count}`;
  return JSON.stringify({
    name: `Acme Holdings ${key} Incorporated`,
    displayName: `Acme Holdings ${key}`,
    businessType: 'corporation',
    dba: `Acme Trading ${key}`,
    ein: `${run % 100}-${count}`,
    phone: `+1-202-555-${count % 10_000}`,
    line1: `${count % 9_000} Market Street`,
    line2: `Suite ${count % 900}`,
    city: 'San Francisco',
    state: 'CA',
    zip: String(10_000 + (count % 90_000)),
    country: 'US',
    website: `https://www.acme-${key}.example.com/about-us`,
    netWorth: 1_000_000 + count * 37,
    revenue: 250_000 + count * 11,
    parent: '6f1c2e7a-9d34-4b58-8a10-3c5de77b0f42',
  });
};

const makeRequests = ({ method, paths, headers, sendsBusiness }: Load): (() => string) => {
  const run = Math.floor(performance.timeOrigin + performance.now()) % 1_000_000;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const rest = ` HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}`;
  let count = 0;
  return () => {
    const path = paths[Math.floor(Math.random() * paths.length)] ?? '/';
    if (!sendsBusiness) return `${method} ${path}${rest}\r\n`;
    const body = businessText(run, (count += 1));
    return `${method} ${path}${rest}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
};

/** Eats the bytes of answers, one after the other; gives the status of each that is complete. */
const makeReader = (hasBody: boolean, answered: (status: number) => void): ((chunk: Buffer) => void) => {
  let head: Buffer | undefined;
  let status = 0;
  let missing: number | 'chunks' | undefined;
  let tail = Buffer.alloc(0);

  const end = (): void => {
    missing = undefined;
    answered(status);
  };
  const body = (bytes: Buffer): void => {
    if (missing === 'chunks') {
      tail = Buffer.concat([tail, bytes.subarray(-END_OF_CHUNKS.length)]).subarray(-END_OF_CHUNKS.length);
      if (tail.equals(END_OF_CHUNKS)) end();
    } else if (missing !== undefined && (missing -= bytes.length) <= 0) end();
  };
  return (chunk) => {
    if (missing !== undefined) {
      body(chunk);
      return;
    }
    const bytes = head === undefined ? chunk : Buffer.concat([head, chunk]);
    const at = bytes.indexOf(END_OF_HEAD);
    head = at === -1 ? bytes : undefined;
    if (at === -1) return;
    const text = bytes.toString('latin1', 0, at);
    status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    missing = hasBody ? (length === undefined ? 'chunks' : Number(length)) : 0;
    tail = Buffer.alloc(0);
    body(bytes.subarray(at + END_OF_HEAD.length));
  };
};

const generate = (load: Load): Promise<LoadResult> => {
  const { port, method, status: expected, connections, length } = load;
  const nextRequest = makeRequests(load);
  return sendOn(
    connections,
    length,
    ({ mayBegin, answered }) =>
      new Promise((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', noDelay: true });
        let sentAt = 0;
        let isWaiting = false;
        const next = (): void => {
          sentAt = performance.now();
          isWaiting = mayBegin();
          if (isWaiting) socket.write(nextRequest());
          else socket.end();
        };
        const onAnswer = (status: number): void => {
          answered(performance.now() - sentAt, status === expected);
          next();
        };
        socket.on('data', makeReader(method !== 'HEAD' && expected !== 304, onAnswer));
        socket.once('connect', next);
        socket.on('error', () => undefined);
        socket.once('close', () => {
          if (isWaiting) reject(new Error('closed before the answer'));
          else resolve();
        });
      }),
  );
};

process.on('message', (load: Load) => {
  void generate(load).then((result) => process.send?.(result));
});
