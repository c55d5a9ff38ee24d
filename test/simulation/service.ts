import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import jwt from 'jsonwebtoken';
import type { Adapters } from '../../src/composition/adapters.js';
import { startService } from '../../src/composition/start-service.js';
import { Started } from '../../src/composition/started.js';
import { registry } from '../../src/entities/registry.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makeLogger } from '../../src/infrastructure/logging/logger.js';
import type { Storage } from '../../src/infrastructure/open-storage.js';
import { memoryAdapters } from '../support/memory-adapters/memory-adapters.js';
import { memoryConfig } from '../support/memory-adapters/memory-config.js';
import { makeMemoryReadModels } from '../support/memory-read-models.js';
import type { MemorySeal } from '../support/memory-seal.js';
import type { MemoryStorage } from '../support/memory-storage/memory-storage.js';
import { SECRET } from '../support/tokens.js';
import { connect } from './connection.js';
import { type Answer, beginRequest } from './request.js';
import { answeredLater, logBy, storageBy } from './shared-ports.js';
import { makeWay, type Mishap } from './way.js';
import type { SimulatedProcess, World } from './world.js';

/** What all processes of a cluster share. */
export type Shared = {
  readonly store: EventStore;
  readonly storage: MemoryStorage;
  readonly seal: MemorySeal;
  readonly files: Storage;
};

export type Service = {
  readonly process: SimulatedProcess;
  /** Rejects when the connection is lost. */
  readonly ask: (method: string, path: string, headers?: Record<string, string>, body?: object) => Promise<Answer>;
  readonly stop: () => Promise<void>;
  /** Ends it as a crash does: nothing of it runs any more, and its connections are gone. */
  readonly kill: () => void;
};

type Options = {
  readonly checkpointKey: string;
  /** What becomes of a call to `log` or `rows`. */
  readonly mishapOf: (of: 'log' | 'rows', process: SimulatedProcess) => Mishap;
  readonly say: (line: string) => void;
};

const adaptersOf = (
  world: World,
  process: SimulatedProcess,
  { store, storage, seal, files }: Shared,
  mishapOf: Options['mishapOf'],
  onServer: (server: Server) => void,
): Adapters => {
  const log = makeWay(world, process, () => mishapOf('log', process));
  const rows = makeWay(world, process, () => mishapOf('rows', process));
  const safe = makeWay(world, process, () => undefined);
  const sealBy: MemorySeal = (ledger, place) => {
    const own = seal(ledger, place);
    return {
      ...answeredLater(safe, own),
      // a process that was killed holds no lock
      lockTree: (work) =>
        safe.call(
          'lock tree',
          () => own.lockTree((tree) => Promise.race([work(tree), process.end])),
          (cause) => Promise.reject(cause),
        ),
    };
  };
  return memoryAdapters(
    {
      store: logBy(log, store),
      storage: storageBy(rows, storage),
      queries: answeredLater(safe, makeMemoryReadModels({ storage, seal })),
      seal: sealBy,
      files,
    },
    { onServer },
  );
};

/** Starts a whole service in a process of its own, by the function that `npm start` composes by. */
export const startIn = async (world: World, shared: Shared, options: Options): Promise<Service> => {
  const process = world.begin();
  let server: Server | undefined;
  const sockets = new Set<Socket>();
  const started = new Started();
  const log = makeLogger(process.clock, 'warn', false, {
    write: (line: string) => (process.isAlive() ? options.say(line.trimEnd()) : undefined),
  });
  const adapters = adaptersOf(world, process, shared, options.mishapOf, (made) => (server = made));
  const entities = registry.entities.map((entity) => ({
    ...entity,
    // its routes are a module of their own
    serve: (ports: Parameters<typeof entity.serve>[0]) => world.standStill(entity.serve(ports)),
  }));
  await startService(memoryConfig(options.checkpointKey), log, started, { ...registry, entities }, process, adapters);
  const seconds = Math.floor(process.clock.date().getTime() / 1_000);
  const token = jwt.sign({ roles: 'admin', sub: 'alice', iat: seconds - 3_600, exp: seconds + 86_400 }, SECRET);

  const createConnection = () => {
    const connection = connect(world, '127.0.0.1');
    const { server: end } = connection;
    sockets.add(end);
    end.once('close', () => sockets.delete(end));
    server?.emit('connection', end);
    return connection.client;
  };
  return {
    process,
    ask: async (method, path, given = {}, body) => {
      if (!process.isAlive()) throw new Error('nobody answers');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...given };
      const { request, answer } = beginRequest(createConnection, method, path, headers);
      request.end(body && JSON.stringify(body));
      return answer;
    },
    stop: () => started.stop(),
    kill: () => {
      process.kill();
      for (const socket of sockets) socket.destroy();
    },
  };
};
