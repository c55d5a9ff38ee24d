import type { Readable } from 'node:stream';
import type { Pool, PoolClient } from 'pg';
import { copyJson } from './copy-json.js';

/** A list whose reader takes nothing for so long gives way to one that waits, ms. */
const COURTESY_MS = 1_000;
/** Between two looks of one that waits, ms. */
const GLANCE_MS = 100;

type UnderWay = { readonly body: Readable; readonly heldUpSince: () => number | undefined };

/** Copies the rows of a select as `copyJson` does. Rejects when no connection is to be had in time. */
export type CopyList = (select: string) => Promise<Readable>;

/**
 * Lists over the connections of a pool, each of which holds one at its reader's pace. While others wait, a list whose
 * reader has stopped is cut off: a few clients that open lists and read none would else shut out everybody.
 */
export const makeListCopies = (pool: Pool, courtesyMs: number = COURTESY_MS): CopyList => {
  const lists = new Set<UnderWay>();

  const giveWay = (): void => {
    if (pool.waitingCount === 0) return;
    const stopped = [...lists]
      .map((list) => ({ list, since: list.heldUpSince() ?? Infinity }))
      .filter(({ since }) => performance.now() - since >= courtesyMs)
      .sort((one, other) => one.since - other.since)[0]?.list;
    if (stopped === undefined) return;
    lists.delete(stopped);
    stopped.body.destroy(new Error('list: gave way to another, as its reader took nothing'));
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
    let heldUpSince: number | undefined;
    const body = await copyJson(await connect(), select, {
      onHeldUp: (isHeldUp) => {
        heldUpSince = isHeldUp ? performance.now() : undefined;
      },
    });
    const list = { body, heldUpSince: () => heldUpSince };
    if (!body.destroyed) lists.add(list);
    body.once('close', () => lists.delete(list));
    return body;
  };
};
