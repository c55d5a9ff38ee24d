import type pg from 'pg';
import { freeBytesOf } from '../disk-space/disk-space.js';

/** Bytes of a segment of the write-ahead log: initdb's default. */
const SEGMENT = 16 * 1024 * 1024;

/** With less free space, in bytes, no segment is made in advance. */
const ENOUGH = 8 * SEGMENT;

const segmentsOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$'`,
  );
  return rows[0]?.count ?? 0;
};

/**
 * Makes sure that a new cluster has a second segment of the write-ahead log. With one segment Postgres ends when it has
 * filled it and the disk is full. With two, each checkpoint recycles the segment that is no longer needed, so a server
 * on a full disk keeps serving reads. Does nothing where the disk is short of space already.
 */
export const ensureSpareSegment = async (client: pg.Client, data: string): Promise<void> => {
  const free = await freeBytesOf(data);
  if ((free !== undefined && free < ENOUGH) || (await segmentsOf(client)) > 1) return;
  await client.query('select pg_switch_wal()');
  await client.query('checkpoint');
};
