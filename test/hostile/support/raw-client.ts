import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostileClient, Sending, Tally } from './attack.js';

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] };

/** What the connections of a process have done so far. */
export type Count = Mutable<Omit<Tally, 'outcomes'>> & { readonly outcomes: Record<string, number> };

const note = ({ outcomes }: Count, outcome: string): void => {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
};

const PIECE = 64 * 1024;
const SECOND = 1_000;
const CONNECT_LIMIT = 2_000; // ms
const INSIST_LIMIT = 8_000; // ms

function* piecesOf(sends: ReadonlyArray<Sending>): Generator<Buffer> {
  for (const { text, times = 1 } of sends) {
    const unit = Buffer.from(text);
    const inPiece = Math.min(times, Math.max(1, Math.floor(PIECE / unit.length)));
    const piece = Buffer.concat(Array.from({ length: inPiece }, () => unit));
    for (let left = times; left > 0; left -= inPiece)
      yield left >= inPiece ? piece : piece.subarray(0, left * unit.length);
  }
}

const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      socket.off('drain', settle).off('close', settle);
      resolve();
    };
    socket.on('drain', settle).on('close', settle);
  });

const sendAll = async (socket: Socket, sends: ReadonlyArray<Sending>, count: Count): Promise<void> => {
  for (const piece of piecesOf(sends)) {
    if (!socket.writable) return;
    count.bytesSent += piece.length;
    if (!socket.write(piece)) await drained(socket);
  }
};

/** Calls `work` at an interval, ms, until the socket is closed. */
const every = (interval: number, socket: Socket, work: () => void): void => {
  const timer = setInterval(work, interval);
  socket.once('close', () => clearInterval(timer));
};

/** Notes the first status that comes, and how much. */
const listen = (count: Count): ((chunk: Buffer) => void) => {
  let isFirst = true;
  return (chunk) => {
    count.bytesRead += chunk.length;
    if (isFirst && chunk.length >= 12) note(count, chunk.toString('latin1', 9, 12));
    isFirst = false;
  };
};

/** A socket that takes no more of what comes than it is asked to; a stream alone would take 64 KiB at a time. */
const open = (port: number, reads: number, count: Count): Socket => {
  const address = { port, host: '127.0.0.1', noDelay: true };
  if (reads === Infinity) return connect(address).on('data', listen(count));
  if (reads === 0) return connect(address).pause();
  const callback = (bytes: number): boolean => {
    count.bytesRead += bytes;
    return false; // paused until the next second
  };
  const socket = connect({ ...address, onread: { buffer: Buffer.alloc(reads), callback } });
  every(SECOND, socket, () => socket.resume());
  return socket;
};

/** Resolves when the connection is open, or was refused. */
const settled = async (socket: Socket): Promise<void> => {
  await Promise.race([
    once(socket, 'connect').catch(() => undefined),
    once(socket, 'close'),
    delay(CONNECT_LIMIT, undefined, { ref: false }),
  ]);
};

const watch = (socket: Socket, count: Count): void => {
  socket.on('error', ({ code }: NodeJS.ErrnoException) => note(count, code ?? 'error'));
  socket.once('close', () => (count.closed += 1));
};

const STATUS = Buffer.byteLength('HTTP/1.1 200');

/** Sends all and reads the status of the answer; whether that is 200, which leaves the connection as it is. */
const askOnce = (port: number, { sends, resetsAfter }: HostileClient, count: Count): Promise<boolean> =>
  new Promise((resolve) => {
    const buffer = Buffer.alloc(STATUS);
    const callback = (): boolean => {
      const status = buffer.toString('latin1', 9);
      note(count, status);
      if (status !== '200' || resetsAfter !== undefined) socket.resetAndDestroy();
      resolve(status === '200');
      return false; // and takes nothing more
    };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
    watch(socket, count);
    socket.once('close', () => resolve(false)).once('connect', () => (count.opened += 1));
    void sendAll(socket, sends, count);
  });

const insist = async (port: number, client: HostileClient, count: Count): Promise<void> => {
  while (!(await askOnce(port, client, count))) await delay(SECOND);
};

/**
 * Opens a connection and does on it what the client does. Resolves when it is open; when it is answered, at most eight
 * seconds later, if the client insists; when it has been reset, if that is its end.
 */
export const attack = async (port: number, client: HostileClient, count: Count): Promise<void> => {
  const { sends, trickles, reads, resetsAfter, insists = false } = client;
  if (insists) return Promise.race([insist(port, client, count), delay(INSIST_LIMIT)]);
  const socket = open(port, reads, count);
  watch(socket, count);
  await settled(socket);
  if (socket.readyState !== 'open') return;
  count.opened += 1;
  const sent = sendAll(socket, sends, count);
  if (trickles !== undefined)
    void sent.then(() => every(SECOND / 4, socket, () => void sendAll(socket, [trickles], count)));
  if (resetsAfter === undefined) return;
  await Promise.race([sent, delay(CONNECT_LIMIT, undefined, { ref: false })]);
  if (resetsAfter > 0) await delay(resetsAfter);
  socket.resetAndDestroy();
};
