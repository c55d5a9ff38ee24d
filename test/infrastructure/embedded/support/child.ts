// The process that tests kill. It runs the launcher and prints to stdout what happens, one JSON object on a line.
// Arguments: DATA_DIR, kind of process, 'write' to insert rows for as long as it lives or 'idle', and a package to start from.
import { either as E } from 'fp-ts';
import pg from 'pg';
import { startEmbeddedPostgres, startFrom } from '../../../../src/infrastructure/embedded/embedded-postgres.js';
import { installationIn } from '../../../../src/infrastructure/embedded/installation/installation.js';
import { systemRuntime } from '../../../../src/infrastructure/system-runtime.js';

const say = (what: Readonly<Record<string, unknown>>): void => void process.stdout.write(`${JSON.stringify(what)}\n`);

const [dataDir = '', processKind, task, directory] = process.argv.slice(2);
const launch = directory === undefined ? startEmbeddedPostgres : startFrom(await installationIn(directory));
const started = await launch({
  runtime: systemRuntime,
  dataDir,
  processKind: processKind === 'operator' ? 'operator' : 'service',
  onLog: (log) => say({ log }),
});
if (E.isLeft(started)) {
  say({ failed: started.left._tag, message: started.left.message });
  process.exit(1);
}
const { connectionString, joined, stop } = started.right;
const client = new pg.Client({ connectionString });
client.on('error', (cause) => say({ lost: cause.message }));
await client.connect();

process.once('SIGINT', () => {
  // as a service that drains: it still needs its database
  const drain = async (): Promise<void> => {
    const { rows } = await client.query<{ drained: number }>('SELECT 7 AS drained FROM pg_sleep(0.2)');
    await client.end();
    await stop();
    say(rows[0] ?? {});
    process.exit(0);
  };
  void drain();
});

say({ ready: connectionString, joined });
if (task === 'write') {
  await client.query('CREATE TABLE IF NOT EXISTS acknowledged (n bigint GENERATED ALWAYS AS IDENTITY)');
  for (;;) {
    const { rows } = await client.query<{ n: string }>('INSERT INTO acknowledged DEFAULT VALUES RETURNING n');
    say({ n: Number(rows[0]?.n) });
  }
}
