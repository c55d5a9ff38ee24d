import type pg from 'pg';
import { freeBytesOf } from '../disk-space/disk-space.js';

/** Of Postgres's write-ahead log, bytes: what initdb makes it unless told otherwise. */
const SEGMENT = 16 * 1024 * 1024;

/** Free space in which a segment is made without another thought, bytes. */
const AMPLE = 8 * SEGMENT;

const segmentsOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$'`,
  );
  return rows[0]?.count ?? 0;
};

/**
 * Makes sure that a new cluster has a segment of the write-ahead log beside the one in use. Postgres ends when it has
 * filled the one and the disk has no room for another; of two, each checkpoint renames the one that is done with, so
 * that a server whose disk is full goes on answering. Does nothing where the disk is short of space already.
 */
export const ensureSpareSegment = async (client: pg.Client, data: string): Promise<void> => {
  const free = await freeBytesOf(data);
  if ((free !== undefined && free < AMPLE) || (await segmentsOf(client)) > 1) return;
  await client.query('select pg_switch_wal()');
  await client.query('checkpoint');
};
