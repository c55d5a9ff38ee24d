import { expect } from 'chai';
import type pg from 'pg';
import { makeLastingConnection } from '../../src/postgres/lasting-connection.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';

describe('a lasting connection', function () {
  this.timeout(startingPostgres);
  let connectionString: string;
  let made: Array<pg.Client>;
  let lost: Array<Error | undefined>;
  let onTold: (cause: Error | undefined) => void;
  /** What is done with each new connection. */
  let prepare: (client: pg.Client) => Promise<void>;

  before(async () => {
    connectionString = await freshDatabase();
  });

  beforeEach(() => {
    [made, lost] = [[], []];
    prepare = () => Promise.resolve();
    onTold = () => undefined;
  });

  const make = () =>
    makeLastingConnection({
      config: { connectionString },
      prepare: (client) => {
        made.push(client);
        return prepare(client);
      },
      onLost: (cause) => {
        lost.push(cause);
        onTold(cause);
      },
    });

  const isOpen = async (client: pg.Client): Promise<boolean> => {
    try {
      await client.query('select 1');
      return true;
    } catch {
      return false;
    }
  };

  it('is one, until it is closed', async () => {
    const connection = make();
    expect(connection.current()).to.equal(undefined);
    const client = await connection.open();
    expect([await connection.open(), connection.current(), made.length]).to.deep.equal([client, client, 1]);
    await connection.close();
    await connection.close();
    expect([connection.current(), await isOpen(client), lost]).to.deep.equal([undefined, false, []]);
  });

  it('leaves none open that could not be prepared, and is opened anew', async () => {
    const connection = make();
    const refused = new Error('the server is too old');
    prepare = () => Promise.reject(refused);
    expect(await connection.open().catch((error: unknown) => error)).to.equal(refused);
    expect([connection.current(), await isOpen(made[0]!), lost]).to.deep.equal([undefined, false, []]);
    prepare = () => Promise.resolve();
    expect(await isOpen(await connection.open())).to.equal(true);
    await connection.close();
  });

  it('is lost once, which is told with the cause, and opened anew', async () => {
    const connection = make();
    const told = new Promise((resolve) => (onTold = resolve));
    const client = await connection.open();
    client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    expect(await told).to.be.an('error');
    expect([connection.current(), await isOpen(client)]).to.deep.equal([undefined, false]);
    expect(await isOpen(await connection.open())).to.equal(true);
    await connection.close();
    expect(lost).to.have.length(1);
  });

  it('is dropped with whatever runs on it, and told to nobody as lost', async () => {
    const connection = make();
    const client = await connection.open();
    const running = client.query('select pg_sleep(600)').catch((error: unknown) => error);
    connection.drop();
    connection.drop();
    expect(await running).to.be.an('error');
    expect([connection.current(), await isOpen(client), lost]).to.deep.equal([undefined, false, []]);
  });
});
