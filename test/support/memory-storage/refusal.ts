import pg from 'pg';

/** An error as the database answers it, with its SQLSTATE: the engine tells by it what to do. */
export const refusal = (code: string, message: string): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });

/** What the database says of a text with a NUL. */
export const NUL_REJECTED = 'invalid byte sequence for encoding "UTF8": 0x00';

export const noTable = (name: string): pg.DatabaseError =>
  refusal('42P01', `relation "read_model.${name}" does not exist`);
