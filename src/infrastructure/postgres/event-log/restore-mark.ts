import type pg from 'pg';

/** It has no rows: that it is there says that a restore has not ended. A role that may only add to the log sees it, too. */
const MARK = 'event_log.unfinished_restore';

export const isBeingRestored = async (pool: pg.Pool): Promise<boolean> => {
  const { rows } = await pool.query<{ marked: boolean }>('select to_regclass($1) is not null as marked', [MARK]);
  return rows[0]?.marked === true;
};

export const markRestore = async (pool: pg.Pool, state: 'begun' | 'ended'): Promise<void> => {
  await pool.query(state === 'begun' ? `create table if not exists ${MARK} ()` : `drop table if exists ${MARK}`);
};
