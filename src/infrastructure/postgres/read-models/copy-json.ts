import { Readable, type Duplex } from 'node:stream';
import type { Connection, PoolClient, Submittable } from 'pg';
import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import { takeOverSocket } from '../../../postgres/take-over-socket.js';
import { makeCopyFraming } from './copy-framing.js';
import type { Clock } from '../../../event-sourcing/clock.js';
import { watchIdle } from '../../../event-sourcing/watch-idle.js';

/** A reader that takes nothing for so long is cut off, because it holds a connection and an old snapshot. */
const IDLE_MS = 60_000;
/** Longest time for which anybody holds a snapshot, however steadily they read. */
const TOTAL_MS = 600_000;
const HIGH_WATER_MARK = 256 * 1024;

export type CopyLimits = {
  /** How long the server may take until it sends the first rows. */
  readonly beginMs?: number;
  readonly idleMs?: number;
  readonly totalMs?: number;
};

/**
 * The rows of `select` (one column of JSON text, never null) as the bytes of one JSON array. Resolves when the server
 * begins to send rows, rejects when it answers with an error. The reader sets the pace: while it waits, so does the
 * server. The connection goes back to its pool at the end, and is destroyed when the reader leaves early or is too
 * slow.
 */
export const copyJson = (
  clock: Clock,
  client: PoolClient,
  select: string,
  { beginMs = SILENCE_MS, idleMs = IDLE_MS, totalMs = TOTAL_MS }: CopyLimits = {},
): Promise<Readable> =>
  new Promise((resolve, reject) => {
    const framing = makeCopyFraming();
    let socket: Duplex | undefined;
    let isComplete = false;

    const giveUp = (reason: string) => (): void => void body.destroy(new Error(reason));
    const cancelBegin = clock.after(beginMs, giveUp(`list: not begun within ${beginMs} ms`));
    const cancelTotal = clock.after(totalMs, giveUp(`list: not read within ${totalMs} ms`));
    const idle = watchIdle(clock, idleMs, giveUp(`list: no progress for ${idleMs} ms`));

    const body = new Readable({
      highWaterMark: HIGH_WATER_MARK,
      read: () => {
        idle.noteProgress();
        socket?.resume();
      },
      destroy: (error, done) => {
        for (const cancel of [cancelBegin, idle.stop, cancelTotal]) cancel();
        if (!isComplete) {
          socket?.destroy();
          client.release(true);
          reject(error ?? new Error('list: left before it began'));
        }
        done(error);
      },
    });

    // it may fail when nobody listens: before its reader has attached itself, or after it has left
    body.on('error', () => undefined);

    const copy: Submittable & Record<`handle${string}`, (argument: Error) => void> = {
      submit: (connection: Connection) => {
        socket = connection.stream;
        const driver = takeOverSocket(socket, (chunk) => {
          idle.noteProgress();
          const { json, rest } = framing.take(chunk);
          if (json.length > 0 && !body.push(json)) connection.stream.pause();
          if (framing.hasStarted()) {
            cancelBegin();
            resolve(body);
          }
          if (rest !== undefined) driver.giveBack(rest);
        });
        connection.query(`copy (${select}) to stdout (format binary)`);
      },
      handleError: (error) => void body.destroy(error),
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => {
        isComplete = true;
        client.release();
        body.push(null);
      },
    };
    client.query(copy);
  });
