import type { ClientBase, Connection, Pool, PoolClient, Submittable } from 'pg';
import { sqlFailureOf } from './sql-failure.js';
import { RowReader, type Rows } from './rows.js';
import { takeOverSocket } from './take-over-socket.js';

/** A statement with a name, so that the server parses it once for each connection. */
export type Statement = {
  readonly name: string;
  readonly text: string;
  /** Each in Postgres's text format, or a Buffer in its binary format. */
  readonly values: Array<string | Buffer | null>;
};

/** A row as it was sent: each column in Postgres's text format. */
export type TextRow = ReadonlyArray<string | null>;

/** What the driver's connection has beside what its types name. */
type DriverConnection = Connection & { readonly parsedStatements: Readonly<Record<string, string | undefined>> };

/**
 * A statement as the driver takes it. The driver's own query also asks for a description of the columns, and builds a
 * result of objects: that takes as long as a small statement. Here the caller knows the columns.
 */
abstract class Submitted implements Submittable {
  readonly name: string;
  readonly text: string;
  readonly #values: Statement['values'];
  /** Read by the driver, ms. */
  readonly query_timeout: number | undefined;
  /** Called by the driver when the time is over; it replaces it by one that stops its clock. */
  callback: (error: Error | null) => void = () => undefined;

  constructor({ name, text, values }: Statement, timeoutMs: number | undefined) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.query_timeout = timeoutMs;
  }

  submit(driver: Connection): void {
    const connection = driver as DriverConnection; // reason: see there
    const { stream } = connection;
    const isParsed = connection.parsedStatements[this.name] !== undefined;
    // together in one write to the socket
    stream.cork();
    if (!isParsed) connection.parse({ name: this.name, text: this.text, types: [] }, true);
    connection.bind({ statement: this.name, values: this.#values }, true);
    connection.execute(null, true);
    connection.sync();
    stream.uncork();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleCommandComplete(): void {
    // ReadyForQuery follows
  }
}

class TextStatement extends Submitted {
  readonly rows: Array<TextRow> = [];

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.rows.push(fields);
  }
}

class BytesStatement extends Submitted {
  readonly #reader = new RowReader();

  override submit(connection: Connection): void {
    const reader = this.#reader;
    const driver = takeOverSocket(connection.stream, (chunk) => {
      const unread = reader.take(chunk, driver.read);
      if (unread !== undefined) driver.giveBack(unread);
    });
    super.submit(connection);
  }

  rows(): Rows {
    return this.#reader.rows();
  }
}

const finished = (client: ClientBase, statement: Submitted): Promise<void> =>
  new Promise((resolve, reject) => {
    statement.callback = (error) => {
      if (error === null) resolve();
      else reject(error);
    };
    client.query(statement);
  });

/**
 * Runs a statement that gives few, short rows. Rejects with the server's error, when the connection is lost, and after
 * `timeoutMs` (default: the client's own limit); after that the connection must not be used.
 */
export const run = async (
  client: ClientBase,
  statement: Statement,
  timeoutMs?: number,
): Promise<ReadonlyArray<TextRow>> => {
  const submitted = new TextStatement(statement, timeoutMs);
  await finished(client, submitted);
  return submitted.rows;
};

/** `run` on a connection that the caller does not see. */
export type RunStatement = (statement: Statement) => Promise<ReadonlyArray<TextRow>>;

export const runOn =
  (client: ClientBase): RunStatement =>
  (statement) =>
    run(client, statement);

/** Each statement on any connection of the pool. */
export const runIn =
  (pool: Pool): RunStatement =>
  (statement) =>
    withConnection(pool, (client) => run(client, statement));

/** As `run`, for rows that are passed on as bytes: nothing of them is decoded. They are held in memory together. */
export const readRows = async (client: ClientBase, statement: Statement, timeoutMs?: number): Promise<Rows> => {
  const submitted = new BytesStatement(statement, timeoutMs);
  await finished(client, submitted);
  return submitted.rows();
};

/** Gives back a connection after `work`, or closes it when it may not be usable after what `work` throws. */
export const releasing = async <A>(client: PoolClient, work: (client: ClientBase) => Promise<A>): Promise<A> => {
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(sqlFailureOf(error) === 'Lost');
    throw error;
  }
};

/** Gives `work` a connection of the pool, as `releasing` does. */
export const withConnection = async <A>(pool: Pool, work: (client: ClientBase) => Promise<A>): Promise<A> =>
  releasing(await pool.connect(), work);
