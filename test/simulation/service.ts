import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import jwt from 'jsonwebtoken';
import type { Adapters } from '../../src/composition/adapters.js';
import { startService } from '../../src/composition/start-service.js';
import { Started } from '../../src/composition/started.js';
import { SILENCE_MS } from '../../src/event-sourcing/answer-deadline.js';
import { attempt } from '../../src/event-sourcing/attempt.js';
import type { OnConnectionEvent } from '../../src/event-sourcing/connection-event.js';
import type { KeyState } from '../../src/event-sourcing/encryption/key-state.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { reasonOf } from '../../src/event-sourcing/reason-of.js';
import type { CannotOpen } from '../../src/infrastructure/cannot-open.js';
import { watchDiskSpace } from '../../src/infrastructure/disk-space/disk-space.js';
import { putWithinSpace } from '../../src/infrastructure/disk-space/within-space.js';
import { makeLogger } from '../../src/infrastructure/logging/logger.js';
import type { Storage } from '../../src/infrastructure/open-storage.js';
import { memoryAdapters } from '../support/memory-adapters/memory-adapters.js';
import { memoryConfig } from '../support/memory-adapters/memory-config.js';
import type { MemoryFiles } from '../support/memory-adapters/memory-files.js';
import { SECRET } from '../support/tokens.js';
import { connect } from './connection.js';
import type { Erasures } from './erasures.js';
import { erasedRowsBy, keyStateBy } from './ports/erasing.js';
import { ofLog } from './ports/failures.js';
import { filesBy } from './ports/files.js';
import { logBy } from './ports/log.js';
import { queriesBy } from './ports/queries.js';
import { storageBy } from './ports/rows.js';
import { lockTreeBy, sealBy } from './ports/seal.js';
import { type Program, registryOf } from './program.js';
import { type Answer, beginRequest } from './request.js';
import type { Store } from './stores/stores.js';
import type { Place, Troubles } from './trouble.js';
import { type Luck, makeWay } from './way.js';
import type { SimulatedProcess, World } from './world.js';

/** What all processes of a cluster share. */
export type Shared = Store & {
  readonly store: EventStore;
  readonly files: MemoryFiles;
  /** Of a life whose data is encrypted, so that it can be erased. */
  readonly erasures: Erasures | undefined;
};

type Headers = Readonly<Record<string, string>>;

export type Service = {
  readonly process: SimulatedProcess;
  /** Begins a request, which goes on when its body ends; `onText` is given its answer as it comes. */
  readonly begin: (
    method: string,
    path: string,
    headers?: Headers,
    onText?: (text: string) => void,
  ) => ReturnType<typeof beginRequest>;
  /** Rejects when the connection is lost. */
  readonly ask: (method: string, path: string, headers?: Headers, body?: object) => Promise<Answer>;
  readonly stop: () => Promise<void>;
  /** Ends it as a crash does: nothing of it runs any more, and its connections are gone. */
  readonly kill: () => void;
};

/** Of one process. */
type LuckOf = (place: Place) => ReturnType<Troubles['luckOf']>;

type Options = {
  readonly checkpointKey: string;
  readonly program: Program;
  readonly luckOf: LuckOf;
  readonly say: (line: string) => void;
};

type Reached = Omit<Shared, 'files' | 'erasures' | 'texts'> & {
  readonly files: Storage;
  readonly keyState: KeyState | undefined;
};

/** How long what a process reaches is waited for, ms: by the queries and the seal, and by those that write rows; and of files. */
const [PATIENCE_MS, WRITER_MS, FILES_MS] = [SILENCE_MS, 15_000, 30_000];

/** What a process reaches, on its way. Those that it reaches by HTTP or gRPC repeat a call; the driver of Postgres does not. */
export const reachedBy = (
  world: World,
  process: SimulatedProcess,
  { store, storage, erasedRows, queries, seal, files, erasures }: Shared,
  luckOf: LuckOf,
  onConnectionEvent: OnConnectionEvent = () => undefined,
): Reached => {
  const [log, rows, objects] = [luckOf('log'), luckOf('rows'), luckOf('files')];
  const told: Luck = {
    ...log,
    onRepeated: (name) => {
      log.onRepeated(name);
      const cause = ofLog('Lost');
      onConnectionEvent({ kind: 'connection-lost', connection: 'the log', cause });
      onConnectionEvent(
        name === 'subscribe' ? { kind: 'resubscribed', cause } : { kind: 'reconnected', endpoint: 'the log' },
      );
    },
  };
  const reading = makeWay(world, process, rows, { patienceMs: PATIENCE_MS, repeats: false });
  const writing = makeWay(world, process, rows, { patienceMs: WRITER_MS, repeats: false });
  const { monotonic } = process.clock;
  return {
    store: logBy(makeWay(world, process, told, { patienceMs: PATIENCE_MS, repeats: true }), store, {
      monotonic,
      onConnectionEvent,
    }),
    storage: storageBy(writing, storage),
    erasedRows: erasedRowsBy(writing, erasedRows),
    keyState: erasures && keyStateBy(reading, erasures.keyState),
    queries: queriesBy(reading, queries),
    seal: (ledger, place) => {
      const own = seal(ledger, place);
      return sealBy(reading, own, lockTreeBy(reading, process, own.lockTree));
    },
    files: filesBy(
      makeWay(world, process, objects, { patienceMs: FILES_MS, repeats: true }),
      () => objects.breaksOff(),
      files,
    ),
  };
};

/** Of an error in a line of the log: it names files of the machine. */
const STACK = /,"stack":"(?:[^"\\]|\\.)*"/gu;

/** Nothing of a storage of files works without it: it is tried when it is opened. */
const opening =
  (files: Storage, { clock }: SimulatedProcess): Adapters['openStorage'] =>
  () =>
    attempt(
      async () => {
        await files.isThere();
        const space = watchDiskSpace(clock, undefined);
        return { ...files, put: putWithinSpace(files.put, space), space };
      },
      (cause): CannotOpen => ({ _tag: 'CannotOpen', message: `the files cannot be opened: ${reasonOf(cause)}` }),
    );

/**
 * Starts a whole service in a process of its own, by the function that `npm start` composes by. Rejects when the process is
 * killed meanwhile.
 */
export const startIn = async (
  world: World,
  process: SimulatedProcess,
  shared: Shared,
  options: Options,
): Promise<Service> => {
  let server: Server | undefined;
  const sockets = new Set<Socket>();
  const started = new Started();
  const log = makeLogger(process.clock, 'warn', false, {
    write: (line: string) => (process.isAlive() ? options.say(line.trimEnd().replace(STACK, '')) : undefined),
  });
  let onConnectionEvent: OnConnectionEvent = () => undefined;
  const reached = reachedBy(world, process, shared, options.luckOf, (event) => onConnectionEvent(event));
  const adapters: Adapters = {
    ...memoryAdapters(reached, {
      onServer: (made) => (server = made),
      onOpened: (listener) => (onConnectionEvent = listener),
    }),
    openStorage: opening(reached.files, process),
  };
  const config = memoryConfig(options.checkpointKey, shared.erasures !== undefined);
  const registry = registryOf(world, options.program);
  const starting = startService(config, log, started, registry, process, adapters);
  try {
    await Promise.race([starting, process.end]);
  } catch (error) {
    // as a program that could not start ends
    process.kill();
    throw error;
  }
  const seconds = Math.floor(process.clock.date().getTime() / 1_000);
  const token = jwt.sign({ roles: 'admin', sub: 'alice', iat: seconds - 3_600, exp: seconds + 86_400 }, SECRET);

  // what comes by a connection waits until the process runs again, and that it ended is known without it
  const sleep: World['sleep'] = (ms) => (process.isAlive() ? process.arrive(ms) : world.sleep(ms));
  const reaching: World = { ...world, sleep };
  const createConnection = () => {
    const connection = connect(reaching, '127.0.0.1');
    const { server: end } = connection;
    sockets.add(end);
    end.once('close', () => sockets.delete(end));
    server?.emit('connection', end);
    return connection.client;
  };
  const begin: Service['begin'] = (method, path, given = {}, onText) => {
    if (!process.isAlive()) throw new Error('nobody answers');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...given };
    return beginRequest(createConnection, method, path, headers, onText);
  };
  return {
    process,
    begin,
    ask: async (method, path, headers, body) => {
      const { request, answer } = begin(method, path, headers);
      request.end(body instanceof Uint8Array || body === undefined ? body : JSON.stringify(body));
      return await answer;
    },
    stop: () => Promise.race([started.stop(), process.end]),
    kill: () => {
      process.kill();
      for (const socket of sockets) socket.destroy();
    },
  };
};
