import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../event-sourcing/clock.js';
import { networkOf } from './network.js';
import type { Holder } from './semaphore.js';
import type { TimeSlices } from './time-slice.js';

/** Requests of a connection that may wait for their response; one that sends more is cut. */
const MAX_PIPELINED = 16;

/** Fewer bytes than this, in either direction, are no progress: else one byte a second would be enough. */
const PROGRESS_BYTES = 4096;

/** A request, and what is called to respond to it: a promise of that resolves when no more is done, and never rejects. */
type Served = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly respond: (request: IncomingMessage, response: ServerResponse) => unknown;
};

const connections = new WeakMap<Socket, Connection>();

/** The connection of a socket. Throws for one that did not come through `serve`. */
export const connectionOf = (socket: Socket): Connection => {
  const connection = connections.get(socket);
  if (connection === undefined) throw new Error('the socket is not one that the server has accepted');
  return connection;
};

/**
 * One client's connection. Its requests are served one after the other, in the order in which they came: Node gives a
 * response its socket only when the one before it is finished, so one that was begun early would not notice the end of
 * the connection, and could hold files and memory for ever. What a request holds is released when it has been served, or
 * given up with its connection.
 */
export class Connection implements Holder {
  readonly address: string;
  /** What counts as one client of its address. */
  readonly network: string;
  readonly #clock: Clock;
  readonly #slices: TimeSlices;
  readonly #socket: Socket;
  /** Resolves when it is admitted; undefined once the first request has begun. */
  #admission: Promise<unknown> | undefined = Promise.resolve();
  readonly #waiting: Array<Served> = [];
  #current: Served | undefined;
  /** Of the current request: whether nothing more is done for it, and whether its response is closed. */
  #isDone = false;
  #isClosed = false;
  readonly #releases: Array<() => void> = [];
  readonly #onClose: Array<() => void> = [];
  #afterwards: (() => void) | undefined;
  /** When progress was last made, and how many bytes had moved by then. */
  #progressAt: number;
  #progressMoved = 0;
  /** Why it was cut, if so. */
  cutFor: string | undefined;

  constructor(clock: Clock, slices: TimeSlices, socket: Socket) {
    this.#clock = clock;
    this.#slices = slices;
    this.#progressAt = clock.monotonic();
    this.address = socket.remoteAddress ?? '';
    this.network = networkOf(this.address);
    this.#socket = socket;
    connections.set(socket, this);
    socket.once('close', () => {
      for (const giveUp of this.#onClose.splice(0)) giveUp();
    });
  }

  /** Whether no request is being served: none has come, or not all of its headers. */
  get isIdle(): boolean {
    return this.#current === undefined;
  }

  isGone(): boolean {
    return this.#socket.destroyed;
  }

  /** Serves a request after those before it. */
  add(served: Served): void {
    if (this.isGone()) return;
    if (this.#current === undefined) this.#serve(served);
    else if (this.#waiting.length + 1 < MAX_PIPELINED) this.#waiting.push(served);
    else this.cut('too many unanswered requests');
  }

  /** Calls `end` when the complete requests have been served: what it writes would else land within a response. */
  endWith(end: () => void): void {
    if (this.#current === undefined) end();
    else if (this.#current.request.complete) this.#afterwards ??= end;
    else if (this.#current.response.headersSent) this.cut('the rest of a request is malformed');
    else end();
  }

  /** Begins no request until the function that this returns is called. */
  awaitAdmission(): () => void {
    let admit = (): void => undefined;
    this.#admission = new Promise<void>((resolve) => (admit = resolve));
    return admit;
  }

  cut(reason: string): void {
    this.cutFor ??= reason;
    this.breakOff();
  }

  /** Closes it, within a response by a reset: a response that ends with its connection would else look complete. */
  breakOff(): void {
    const response = this.#current?.response;
    if (response?.headersSent === true && !response.writableFinished) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  onceDone(release: () => void): void {
    this.#releases.push(release);
  }

  onceClosed(giveUp: () => void): void {
    this.#onClose.push(giveUp);
  }

  /** For how long it had made no progress `now`, ms; 0 where it was not its client's turn. */
  stalledFor(now = this.#clock.monotonic()): number {
    return this.#isClientsTurn() && !this.isGone() ? now - this.#progressAt : 0;
  }

  /** To be awaited before each piece of long work for it, as in `TimeSlices`. */
  timeSlice(bytes?: number): Promise<void> {
    return this.#slices.timeSlice(bytes);
  }

  /** To be called at intervals: notes whether the client has moved anything. */
  observe(): void {
    if (this.#isClientsTurn() && this.#moved() < this.#progressMoved + PROGRESS_BYTES) return;
    if (this.#current !== undefined) this.#noteProgress();
  }

  /** Whether we wait for the client: to send a request or the rest of one, or to take what is there of a response. */
  #isClientsTurn(): boolean {
    if (this.#current === undefined || this.#socket.writableLength > 0) return true;
    if (this.#admission !== undefined) return false;
    const { request, response } = this.#current;
    return !request.complete && request.readableLength === 0 && !response.headersSent;
  }

  #serve(served: Served): void {
    this.#current = served;
    this.#isDone = false;
    this.#isClosed = false;
    this.#noteProgress();
    served.response.once('close', this.#noteClosed);
    if (this.#admission === undefined) this.#respond(served);
    else void this.#admitted(this.#admission).then(() => this.#respond(served));
  }

  /** While many connections arrive, some have been reset before we notice: nothing is begun for those. */
  async #admitted(admission: Promise<unknown>): Promise<void> {
    await admission;
    await this.#slices.arrivalsPaused();
    this.#admission = undefined;
    this.#noteProgress();
  }

  #respond({ request, response, respond }: Served): void {
    const responding = this.isGone() ? undefined : respond(request, response);
    if (responding instanceof Promise) void responding.then(this.#noteDone);
    else this.#noteDone();
  }

  // one function for all requests of the connection, not one for each
  readonly #noteDone = (): void => {
    this.#isDone = true;
    if (this.#isClosed) this.#release();
  };

  readonly #noteClosed = (): void => {
    this.#isClosed = true;
    if (this.#isDone) this.#release();
  };

  /** Releases what the request holds when no more is done for it, however long ago its client has gone. */
  #release(): void {
    if (this.#releases.length > 0) for (const release of this.#releases.splice(0)) release();
    this.#onClose.length = 0;
    this.#current = undefined;
    this.#noteProgress();
    this.#next();
  }

  #next(): void {
    // after the last response of a connection Node ends it, and leaves the requests behind it without a socket
    if (!this.#socket.writable) return;
    const next = this.#waiting.shift();
    if (next === undefined) this.#afterwards?.();
    else this.#serve(next);
  }

  /** Bytes that were read, or taken by the system to be sent. */
  #moved(): number {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    return bytesRead + bytesWritten - writableLength;
  }

  #noteProgress(): void {
    this.#progressAt = this.#clock.monotonic();
    this.#progressMoved = this.#moved();
  }
}
