import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../event-sourcing/clock.js';
import { connectionOf } from './connection.js';

/** A chunk of at least this many bytes is passed on as it is. */
const LARGE_CHUNK = 4 * 1024;

/** Small chunks are coalesced into pieces of this many bytes. */
const PIECE_BYTES = 16 * 1024;

/** Node calls back for each chunk, which takes 2 µs: one read of a socket takes 20 ms when every chunk has one byte. */
const MANY_CHUNKS = 64;
const CHUNK_MS = 0.002;

/** A body of more chunks than this must have this many bytes in each on average: only an attacker cuts smaller. */
const FREE_CHUNKS = 16_384;
const AVERAGE_BYTES = 16;

/** A read that waits, and for how long others are served before it, ms. */
type Throttled = { readonly read: () => void; readonly pause: number };

/** The bodies that come to one server. */
type Bodies = {
  /** Counts the iterations of the event loop in which bodies came. */
  readonly iteration: () => number;
  /** To be called when something came in this iteration: it ends when all that was read has been parsed. */
  readonly endSoon: () => void;
  /** Has the request told of the end of this iteration. */
  readonly fill: (request: CoalescingRequest) => void;
  /** Calls one `read` after the other, in order of arrival, each after its pause. */
  readonly queueRead: (next: Throttled) => void;
};

const makeBodies = (clock: Pick<Clock, 'after' | 'soon'>): Bodies => {
  let iteration = 0;
  let isEnding = false;
  const filling = new Set<CoalescingRequest>();
  const throttled: Array<Throttled> = [];

  const endIteration = (): void => {
    isEnding = false;
    iteration += 1;
    const all = [...filling];
    filling.clear();
    for (const request of all) request.endIteration();
  };

  const readNext = (): void => {
    throttled.shift()?.read();
    const [next] = throttled;
    if (next !== undefined) clock.after(next.pause, readNext);
  };

  return {
    iteration: () => iteration,
    endSoon: () => {
      if (!isEnding) clock.soon(endIteration);
      isEnding = true;
    },
    fill: (request) => void filling.add(request),
    queueRead: (next) => {
      throttled.push(next);
      if (throttled.length === 1) clock.after(next.pause, readNext);
    },
  };
};

/**
 * A request whose body comes in few pieces, however many chunks the client cuts it into, so that reading it costs what
 * its bytes cost. In each iteration of the event loop the first chunk is passed on as it is. The small ones behind it are
 * passed on together, when all that was read has been parsed. Connections that send very small chunks are read one at a
 * time, and before each read others are served for as long as it will take.
 */
class CoalescingRequest extends IncomingMessage {
  readonly #bodies: Bodies;
  #iteration = -1;
  #chunksOfIteration = 0;
  #chunks = 0;
  #bytes = 0;
  #piece: Buffer | undefined;
  #filled = 0;
  #isThrottled = false;
  #isWanted = false;

  constructor(socket: Socket, bodies: Bodies) {
    super(socket);
    this.#bodies = bodies;
  }

  /** Called by Node's parser with each chunk, and with null at the end. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#passOn();
      return super.push(null);
    }
    if (this.destroyed || !this.#isAdmitted(chunk)) return false;
    if (this.#iteration !== this.#bodies.iteration()) return this.#begin(chunk);
    this.#chunksOfIteration += 1;
    this.#bodies.fill(this);
    if (chunk.length < LARGE_CHUNK) return this.#coalesce(chunk);
    const isWanted = this.#passOn();
    return super.push(chunk) && isWanted;
  }

  override _read(size: number): void {
    if (this.#isThrottled) this.#isWanted = true;
    else super._read(size);
  }

  /** What was read in this iteration has been parsed. */
  endIteration(): void {
    // the socket may belong to the next request by now
    if (this.complete || this.destroyed) return;
    const isWanted = this.#passOn();
    const isThrottled = this.#chunksOfIteration > MANY_CHUNKS;
    if (isThrottled) this.#throttle(isWanted);
    if (isThrottled || !isWanted) this.socket.pause();
  }

  #isAdmitted(chunk: Buffer): boolean {
    this.#chunks += 1;
    this.#bytes += chunk.length;
    const isAdmitted = this.#chunks <= FREE_CHUNKS || this.#bytes >= AVERAGE_BYTES * this.#chunks;
    if (!isAdmitted) connectionOf(this.socket).cut('a body in too small chunks');
    return isAdmitted;
  }

  #begin(chunk: Buffer): boolean {
    [this.#iteration, this.#chunksOfIteration] = [this.#bodies.iteration(), 1];
    this.#bodies.endSoon();
    return super.push(chunk);
  }

  #throttle(isWanted: boolean): void {
    this.#isThrottled = true;
    this.#isWanted = isWanted;
    const read = (): void => {
      this.#isThrottled = false;
      if (this.#isWanted && !this.destroyed) super._read(0);
    };
    this.#bodies.queueRead({ read, pause: this.#chunksOfIteration * CHUNK_MS });
  }

  #coalesce(chunk: Buffer): boolean {
    if (this.#piece !== undefined && this.#filled + chunk.length > PIECE_BYTES) this.#passOn();
    this.#piece ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#piece.set(chunk, this.#filled);
    this.#filled += chunk.length;
    return true;
  }

  /** False when its reader has enough for the moment. */
  #passOn(): boolean {
    const gathered = this.#piece?.subarray(0, this.#filled);
    [this.#piece, this.#filled] = [undefined, 0];
    return gathered === undefined || super.push(gathered);
  }
}

/** The class of the requests of one server. */
export const coalescingRequests = (clock: Pick<Clock, 'after' | 'soon'>): typeof IncomingMessage => {
  const bodies = makeBodies(clock);
  return class extends CoalescingRequest {
    constructor(socket: Socket) {
      super(socket, bodies);
    }
  };
};
