import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { either as E } from 'fp-ts';
import type { Adapters } from '../../../src/composition/adapters.js';
import { systemAdapters } from '../../../src/composition/system-adapters.js';
import type { ReadModelStorage } from '../../../projections/engine/storage.js';
import type { OnConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import { encryptedStore } from '../../../src/event-sourcing/encryption/encrypted-store.js';
import type { KeyState } from '../../../src/event-sourcing/encryption/key-state.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { makeServer } from '../../../src/http/serve.js';
import { watchDiskSpace } from '../../../src/infrastructure/disk-space/disk-space.js';
import { appendWithinSpace } from '../../../src/infrastructure/disk-space/within-space.js';
import { openEncryption } from '../../../src/infrastructure/open-encryption.js';
import type { AccessRecord } from '../../../src/read/access/access-record.js';
import type { Storage } from '../../../src/infrastructure/open-storage.js';
import type { ReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { makeMemoryAccessRecord } from '../memory-access-record.js';
import type { MemorySeal } from '../memory-seal.js';

/** What a process reaches. */
type Reached = {
  readonly store: EventStore;
  readonly storage: ReadModelStorage;
  /** Of the rows in that storage. */
  readonly queries: ReadModelQueries;
  readonly seal: MemorySeal;
  readonly files: Storage;
  /** Where the keys are. Default: nowhere, and the data is not encrypted. */
  readonly keyState?: KeyState | undefined;
  /** Default: one of its own. */
  readonly accessRecord?: AccessRecord;
};

type Observer = {
  /** Gets each server that would listen, and so can give it connections. */
  readonly onServer: (server: Server) => void;
  /** Gets whom to tell what happens to the connection to the log. */
  readonly onOpened?: (onConnectionEvent: OnConnectionEvent) => void;
  /** Called with the name of what the service has opened and closed again. */
  readonly onClosed?: (what: string) => void;
};

const unreachable = (what: unknown): Promise<never> => Promise.reject(new Error(`${String(what)} is out of reach`));

/** Has a server that does not listen close as one that does: once its last connection has ended. */
const closingWithConnections = (server: Server): void => {
  const open = new Set<Socket>();
  let onNone = (): void => undefined;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) onNone();
    });
  });
  const close = server.close.bind(server);
  server.close = (onClosed) =>
    close((error) => {
      onNone = () => onClosed?.(error);
      if (open.size === 0) onNone();
    });
};

/**
 * Adapters of a process that reaches nothing else. Keys come from settings alone: with a `DATABASE_URL`, which
 * nobody connects to.
 */
export const memoryAdapters = (
  { store, storage, queries, seal, files, keyState, accessRecord = makeMemoryAccessRecord() }: Reached,
  { onServer, onOpened = () => undefined, onClosed = () => undefined }: Observer,
): Adapters => {
  const closing = (what: string) => () => {
    onClosed(what);
    return Promise.resolve();
  };
  const open = (name: string) => ({ ...storage, close: closing(name) });
  return {
    openStores: async (config, { runtime, rules, onConnectionEvent }) => {
      onOpened(onConnectionEvent);
      const keys =
        keyState === undefined
          ? undefined
          : await openEncryption({ runtime, config, store, openState: () => keyState, rules, begins: 'now' });
      if (keys !== undefined && E.isLeft(keys)) return keys;
      const encryption = keys?.right.encryption;
      const space = watchDiskSpace(runtime.clock, undefined);
      const log = appendWithinSpace(store, space);
      return E.right({
        store: encryption === undefined ? log : encryptedStore(log, encryption),
        space,
        isSoleProcess: false,
        readModels: {
          queries: () => ({ ...queries, close: closing('queries') }),
          storage: ({ name }) => open(name),
          seal: (ledger, place, { name }) => ({ ...seal(ledger, place), storage: open(name) }),
          accessRecord: () => ({ ...accessRecord, close: closing('record of reads') }),
        },
        close: async () => {
          await keys?.right.close();
          await closing('stores')();
        },
      });
    },
    openStorage: () => Promise.resolve(E.right(files)),
    serve: (listener, { host, port, ...options }) => {
      const { server, stop } = makeServer(listener, options);
      closingWithConnections(server);
      onServer(server);
      return Promise.resolve({
        address: `http://${host}:${port}`,
        stop: (deadline) => stop(deadline).then(closing('server')),
      });
    },
    fetch: unreachable,
    readFile: unreachable,
    keys: { ...systemAdapters.keys, developmentSecret: (_, dataDir) => unreachable(dataDir) },
    narrowDataDirectory: () => Promise.resolve([]),
    openFilesLimit: () => Infinity,
    watchProcess: () => undefined,
  };
};
