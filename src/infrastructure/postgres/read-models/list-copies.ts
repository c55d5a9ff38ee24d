import type { Readable } from 'node:stream';
import type { Pool, PoolClient } from 'pg';
import { makeReaders } from '../../../read/stopped-readers.js';
import { copyJson } from './copy-json.js';

/** A list whose reader takes nothing for so long gives way to one that waits, ms. */
const COURTESY_MS = 1_000;
/** Between two looks of one that waits, ms. */
const GLANCE_MS = 100;

/** Copies the rows of a select as `copyJson` does. Rejects when no connection is to be had in time. */
export type CopyList = (select: string) => Promise<Readable>;

/**
 * Lists over the connections of a pool, each of which holds one at its reader's pace. While others wait, a list whose
 * reader has stopped is cut off: a few clients that open lists and read none would else shut out everybody.
 */
export const makeListCopies = (pool: Pool, courtesyMs: number = COURTESY_MS): CopyList => {
  const lists = makeReaders(courtesyMs, 'list: ');

  const giveWay = (): void => {
    if (pool.waitingCount > 0) lists.cutOffStopped();
  };

  const connect = async (): Promise<PoolClient> => {
    const waiting = setInterval(giveWay, GLANCE_MS);
    try {
      return await pool.connect();
    } finally {
      clearInterval(waiting);
    }
  };

  return async (select) => {
    const client = await connect();
    const reader = lists.enter();
    try {
      const body = await copyJson(client, select, { onHeldUp: reader.heldUp });
      reader.lendTo(body);
      if (body.destroyed) reader.leave();
      body.once('close', reader.leave);
      return body;
    } catch (error) {
      reader.leave();
      throw error;
    }
  };
};
