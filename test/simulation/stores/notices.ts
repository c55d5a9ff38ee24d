import pg from 'pg';
import type { Role } from '../../../projections/engine/generation/generation.js';
import { CHECKPOINT_CHANNEL } from '../../../projections/engine/postgres/rows/write-batch.js';
import type { ReadModelStorage, Step, Writer } from '../../../projections/engine/storage.js';

/** What a database tells all who listen. */
type Notices = {
  /** The next one; waits until it comes. */
  readonly next: () => Promise<string>;
  /** Forgets what came until now. */
  readonly clear: () => void;
  readonly close: () => Promise<void>;
};

/** Listens to the live checkpoints of a database, from when it resolves. */
export const hearNotices = async (connectionString: string): Promise<Notices> => {
  const heard: Array<string> = [];
  let onHeard = (): void => undefined;
  const client = new pg.Client({ connectionString });
  client.on('notification', ({ payload = '' }) => {
    heard.push(payload);
    onHeard();
  });
  await client.connect();
  await client.query(`listen ${CHECKPOINT_CHANNEL}`);
  return {
    next: async () => {
      for (;;) {
        const first = heard.shift();
        if (first !== undefined) return first;
        await new Promise<void>((resolve) => (onHeard = resolve));
      }
    },
    clear: () => void heard.splice(0),
    close: () => client.end(),
  };
};

/**
 * A storage whose listeners are told of a checkpoint in the call that has moved it: a notice that Postgres sends is waited for,
 * because it would come at a time of the machine. One that does not come is waited for without end.
 */
export const tellingListeners = (storage: ReadModelStorage, notices: Notices): ReadModelStorage => {
  const listeners = new Set<Parameters<ReadModelStorage['listen']>[0]>();

  const told = async (
    { projection: { name }, notifies }: Writer,
    { to }: Step,
    role: Role | 'Rejected' | undefined,
  ): Promise<void> => {
    if (!notifies || role !== 'live') return;
    const notice = await notices.next();
    if (notice !== `${name} ${to.commit}`) throw new Error(`Postgres has told ${notice}, and not ${name} ${to.commit}`);
    for (const listener of listeners) listener(name, to.commit);
  };

  const telling =
    <Given extends Role | 'Rejected' | undefined>(writer: Writer, write: (step: Step) => Promise<Given>) =>
    async (step: Step): Promise<Given> => {
      const role = await write(step);
      await told(writer, step, role);
      return role;
    };

  return {
    ...storage,
    entityRows: (writer) => {
      const rows = storage.entityRows(writer);
      return {
        ...rows,
        step: telling(writer, rows.step),
        prepare: (entities) => telling(writer, rows.prepare(entities)),
        writeWithParking: async (step, batch) => {
          const written = await rows.writeWithParking(step, batch);
          await told(writer, step, written?.role);
          return written;
        },
      };
    },
    ledgerRows: (writer) => {
      const rows = storage.ledgerRows(writer);
      return {
        ...rows,
        step: telling(writer, rows.step),
        prepare: (batch) => telling(writer, rows.prepare(batch)),
      };
    },
    listen: (onCheckpoint, _onLost, signal) =>
      new Promise((resolve) => {
        const listener: typeof onCheckpoint = (readModel, commit) => onCheckpoint(readModel, commit);
        const end = (): void => {
          listeners.delete(listener);
          resolve();
        };
        if (signal.aborted) {
          resolve();
          return;
        }
        listeners.add(listener);
        signal.addEventListener('abort', end, { once: true });
      }),
  };
};
