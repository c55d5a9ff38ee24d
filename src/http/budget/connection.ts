import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { crowdSeen } from './loop-turns.js';
import type { Holder } from './resource.js';

/** Requests of a connection that may wait to be answered; one that sends more is cut. */
const MAX_UNANSWERED = 16;

/** Fewer bytes than this, in either direction, are no progress: who sends one a second would else never stall. */
const PROGRESS_BYTES = 4096;

type Exchanged = { readonly request: IncomingMessage; readonly response: ServerResponse };

const connections = new WeakMap<Socket, Connection>();

/** The connection of a socket. Throws for one that did not come through `serve`. */
export const connectionOf = (socket: Socket): Connection => {
  const connection = connections.get(socket);
  if (connection === undefined) throw new Error('the socket is not one that the server has accepted');
  return connection;
};

/**
 * One client's connection. Its requests are answered one after the other, in the order in which they came: a response
 * that waited behind another would have no socket yet, would hear nothing of the socket's end, and could hold files
 * and memory for ever. What a request holds is given back when it has been answered, or was given up with its connection.
 */
export class Connection implements Holder {
  readonly address: string;
  readonly #socket: Socket;
  /** Resolves when it may begin; undefined once it has. */
  #admitted: Promise<unknown> | undefined = Promise.resolve();
  readonly #waiting: Array<() => void> = [];
  #current: Exchanged | undefined;
  readonly #releases: Array<() => void> = [];
  readonly #onClose: Array<() => void> = [];
  #afterwards: (() => void) | undefined;
  /** When the connection last was of use, and how many bytes it had moved by then. */
  #progress = { at: performance.now(), moved: 0 };
  /** Why it was cut, if so. */
  cutFor: string | undefined;

  constructor(socket: Socket) {
    this.address = socket.remoteAddress ?? '';
    this.#socket = socket;
    connections.set(socket, this);
    socket.once('close', () => {
      for (const giveUp of this.#onClose.splice(0)) giveUp();
    });
  }

  /** Whether no request is being answered: it is idle, or has not sent all of a request's headers. */
  get isVacant(): boolean {
    return this.#current === undefined;
  }

  isGone(): boolean {
    return this.#socket.destroyed;
  }

  /** Has a request answered when those before it have been. `answer` resolves when no more is done for it, and never rejects. */
  add(exchanged: Exchanged, answer: () => Promise<void>): void {
    if (this.isGone()) return;
    const begin = (): void => void this.#answer(exchanged, answer);
    if (this.#current === undefined) begin();
    else if (this.#waiting.length + 1 < MAX_UNANSWERED) this.#waiting.push(begin);
    else this.cut('too many unanswered requests');
  }

  /**
   * Takes no further request, and calls `end` when those that came in full have been answered: what else is written
   * would end up within an answer.
   */
  endWith(end: () => void): void {
    if (this.#current === undefined) end();
    else if (this.#current.request.complete) this.#afterwards ??= end;
    else if (this.#current.response.headersSent) this.cut('the rest of a request is malformed');
    else end();
  }

  /** Begins nothing until what this gives is called. */
  holdBack(): () => void {
    let letIn = (): void => undefined;
    this.#admitted = new Promise<void>((resolve) => (letIn = resolve));
    return letIn;
  }

  cut(reason: string): void {
    this.cutFor ??= reason;
    this.breakOff();
  }

  /** Ends it, by a reset in the midst of an answer: one that the end of the connection ends would else look complete. */
  breakOff(): void {
    const response = this.#current?.response;
    if (response?.headersSent === true && !response.writableFinished) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  onceAnswered(release: () => void): void {
    this.#releases.push(release);
  }

  onceClosed(giveUp: () => void): void {
    this.#onClose.push(giveUp);
  }

  stalledFor(): number {
    return this.#isWaiting() && !this.isGone() ? performance.now() - this.#progress.at : 0;
  }

  /** To be called now and then: notes whether its client has moved anything. */
  observe(): void {
    if (this.#isWaiting() && this.#moved() < this.#progress.moved + PROGRESS_BYTES) return;
    if (this.#current !== undefined) this.#mark();
  }

  /** Whether it is the client's turn: to send a request or the rest of one, or to take what is there of an answer. */
  #isWaiting(): boolean {
    if (this.#current === undefined || this.#socket.writableLength > 0) return true;
    if (this.#admitted !== undefined) return false;
    const { request, response } = this.#current;
    return !request.complete && request.readableLength === 0 && !response.headersSent;
  }

  /** What the request holds is given back when nobody works for it any more: its client may have gone long before. */
  async #answer(exchanged: Exchanged, answer: () => Promise<void>): Promise<void> {
    this.#current = exchanged;
    this.#mark();
    const closed = new Promise((resolve) => exchanged.response.once('close', resolve));
    if (this.#admitted !== undefined) await this.#beLetIn();
    if (!this.isGone()) await answer();
    await closed;
    for (const release of this.#releases.splice(0)) release();
    this.#onClose.length = 0;
    this.#current = undefined;
    this.#mark();
    this.#next();
  }

  /** While many come, some of them have gone before we hear of it: nothing has been begun for those. */
  async #beLetIn(): Promise<void> {
    await this.#admitted;
    await crowdSeen();
    this.#admitted = undefined;
    this.#mark();
  }

  #next(): void {
    // after the last answer of a connection Node ends it, and leaves the requests behind it without a socket
    if (!this.#socket.writable) return;
    const begin = this.#waiting.shift() ?? this.#afterwards;
    begin?.();
  }

  /** Bytes that were read, or taken by the system to be sent. */
  #moved(): number {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    return bytesRead + bytesWritten - writableLength;
  }

  #mark(): void {
    this.#progress = { at: performance.now(), moved: this.#moved() };
  }
}
