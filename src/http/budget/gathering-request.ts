import { IncomingMessage } from 'node:http';
import { connectionOf } from './connection.js';

/** A chunk of at least so many bytes is passed on as it is. */
const LARGE_CHUNK = 4 * 1024;

/** Small chunks are gathered into pieces of so many bytes. */
const PIECE_BYTES = 16 * 1024;

/** Node calls back for each chunk, which takes 2 µs: one read of a socket in chunks of a byte takes 20 ms. */
const MANY_CHUNKS = 64;
const CHUNK_MS = 0.002;

/** A body of more chunks than this has so many bytes in each on average, or is cut: no client cuts so small that means well. */
const FREE_CHUNKS = 16_384;
const AVERAGE_BYTES = 16;

/** Counts the iterations of the event loop in which bodies came. */
let turn = 0;
let isTurnEnding = false;
const gathering = new Set<GatheringRequest>();

const endTurn = (): void => {
  isTurnEnding = false;
  turn += 1;
  const all = [...gathering];
  gathering.clear();
  for (const request of all) request.endTurn();
};

/** What is to be read next, and for how long the others are served before it, ms. */
type Throttled = { readonly read: () => void; readonly pause: number };

const throttled: Array<Throttled> = [];

const readNext = (): void => {
  throttled.shift()?.read();
  const [next] = throttled;
  if (next !== undefined) setTimeout(readNext, next.pause);
};

/** Calls one `read` after the other, in order of arrival, each after its pause. */
const queueRead = (next: Throttled): void => {
  throttled.push(next);
  if (throttled.length === 1) setTimeout(readNext, next.pause);
};

/**
 * A request whose body comes in few pieces, however many chunks the client cuts it into: whoever reads it pays for its
 * bytes. The first chunk in an iteration of the event loop is passed on as it is, the small ones behind it together, when
 * all that was read has been parsed. Of the connections that send very small chunks, one is read at a time, and as much
 * time as that takes is left to others before the next.
 */
export class GatheringRequest extends IncomingMessage {
  #turn = -1;
  #chunksOfTurn = 0;
  #chunks = 0;
  #bytes = 0;
  #piece: Buffer | undefined;
  #filled = 0;
  #isThrottled = false;
  #isWanted = false;

  /** Called by Node's parser with each chunk, and with null at the end. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#passOn();
      return super.push(null);
    }
    if (this.destroyed || !this.#isAdmitted(chunk)) return false;
    if (this.#turn !== turn) return this.#begin(chunk);
    this.#chunksOfTurn += 1;
    gathering.add(this);
    if (chunk.length < LARGE_CHUNK) return this.#gather(chunk);
    const isWanted = this.#passOn();
    return super.push(chunk) && isWanted;
  }

  override _read(size: number): void {
    if (this.#isThrottled) this.#isWanted = true;
    else super._read(size);
  }

  /** What was read in this iteration has been parsed. */
  endTurn(): void {
    // the socket may belong to the next request by now
    if (this.complete || this.destroyed) return;
    const isWanted = this.#passOn();
    const isThrottled = this.#chunksOfTurn > MANY_CHUNKS;
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
    [this.#turn, this.#chunksOfTurn] = [turn, 1];
    if (!isTurnEnding) setImmediate(endTurn);
    isTurnEnding = true;
    return super.push(chunk);
  }

  #throttle(isWanted: boolean): void {
    this.#isThrottled = true;
    this.#isWanted = isWanted;
    const read = (): void => {
      this.#isThrottled = false;
      if (this.#isWanted && !this.destroyed) super._read(0);
    };
    queueRead({ read, pause: this.#chunksOfTurn * CHUNK_MS });
  }

  #gather(chunk: Buffer): boolean {
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
