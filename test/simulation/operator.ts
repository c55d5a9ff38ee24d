import { either as E } from 'fp-ts';
import { type EngineFailure, isTransient } from '../../projections/engine/engine-failure.js';
import { operationsOn } from '../../projections/engine/operations.js';
import { isSame } from '../../projections/engine/rebuild/compare-with-live.js';
import { rebuild, type Rebuilt } from '../../projections/engine/rebuild/rebuild.js';
import { rollBack } from '../../projections/engine/rebuild/rollback.js';
import type { ReadModelStorage } from '../../projections/engine/storage.js';
import type { Projection } from '../../projections/projection.js';
import type { ReadModel } from '../../projections/read-model.js';
import { sweepFiles } from '../../src/application/document/sweep-files.js';
import type { Subject } from '../../src/application/erasure/find-events.js';
import type { Config } from '../../src/config.js';
import {
  encryptionRulesOf,
  projectionsOf,
  readModelsOf,
  type Registry,
  signingRows,
} from '../../src/entities/registry.js';
import { reasonOf } from '../../src/event-sourcing/reason-of.js';
import { encryptedStore } from '../../src/event-sourcing/encryption/encrypted-store.js';
import type { KeyState } from '../../src/event-sourcing/encryption/key-state.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { type KeyControl, openEncryption } from '../../src/infrastructure/open-encryption.js';
import type { Storage } from '../../src/infrastructure/open-storage.js';
import type { ErasedRows } from '../../src/infrastructure/postgres/erasure/erased-rows.js';
import { oneOf } from './chance.js';
import { eraseSubject } from './erasing.js';
import type { Erasures } from './erasures.js';
import type { Notebook } from './notebook.js';
import type { SimulatedProcess } from './world.js';

export type Command = 'rebuild' | 'rollback' | 'verify' | 'repair' | 'sweep' | 'erasure';

/** As a trace names one. */
export const nameOf = (command: Command): string => (command === 'erasure' ? 'an erasure' : `a ${command}`);

/**
 * What is done with one read model: step by step, and what is in one step at the same time. It is done by the functions that
 * `ops projections` does it by; files are swept as the service does it once a day.
 */
export const PLANS: ReadonlyArray<ReadonlyArray<ReadonlyArray<Command>>> = [
  [['rebuild'], ['rollback']],
  [['rebuild'], ['rollback'], ['rollback']],
  [['rebuild'], ['rebuild'], ['rollback']],
  [['rebuild', 'rebuild']],
  [['rebuild', 'repair'], ['repair']],
  [['repair', 'repair'], ['verify']],
  [['verify']],
  [['sweep'], ['sweep']],
];

/** The same in a life whose data can be erased: more often an erasure, which is given again when it was cut off. */
export const ERASING_PLANS: typeof PLANS = [
  ...PLANS,
  ...[1, 2, 3, 4, 5, 6].map(() => [['erasure' as const]]),
  [['erasure', 'erasure'], ['erasure']],
  [['erasure', 'rebuild'], ['rollback']],
  [['rebuild', 'erasure']],
  [
    ['erasure', 'repair'],
    ['verify', 'erasure'],
  ],
  [['erasure', 'sweep']],
];

/** What a command is about. */
export type Target = {
  readonly readModel: string;
  /** Whose data is erased; without one, what was begun is ended. */
  readonly subject: Subject | undefined;
};

type Operator = {
  /** One of its own. */
  readonly process: SimulatedProcess;
  readonly config: Config;
  readonly store: EventStore;
  readonly storage: ReadModelStorage;
  readonly erasedRows: ErasedRows;
  readonly files: Storage;
  /** Where the keys of encrypted data are. */
  readonly keyState: KeyState | undefined;
  readonly erasures: Erasures | undefined;
  readonly registry: Registry;
  readonly notes: Notebook;
};

const failureOr = <A>(result: E.Either<EngineFailure, A>, show: (done: A) => string): string =>
  E.isLeft(result) ? result.left.message : show(result.right);

const rebuildOne = async (
  { process, store, storage, erasures, notes }: Operator,
  projection: ReadModel,
  signal: AbortSignal,
): Promise<string> => {
  const began = process.clock.monotonic();
  const decide = async (compared: Rebuilt['compared']): Promise<'switch' | 'keep' | 'drop'> => {
    // live and rebuilt rows are compared at one position of the log; what is being erased is in the live ones alone
    if (compared !== undefined && !isSame(compared) && erasures?.wasAny(began) !== true)
      notes.breaks(`rebuilt ${projection.name} differ from the live rows: ${JSON.stringify(compared.first)}`);
    // somebody reads what was found
    await process.clock.sleep(process.random.fraction() * 500);
    return process.random.fraction() < 0.8 ? 'switch' : 'keep';
  };
  const rebuilt = await rebuild({
    runtime: process,
    storage,
    store,
    projection,
    isFromScratch: process.random.fraction() < 0.2,
    isDryRun: process.random.fraction() < 0.1,
    differences: { keep: 3, onDifference: () => Promise.resolve() },
    decide,
    observer: {
      onOpened: () => undefined,
      onChunksLoaded: () => undefined,
      onProgress: () => undefined,
      onBuilt: () => undefined,
    },
    signal,
  });
  return failureOr(rebuilt, ({ generation, outcome }) => {
    notes.count(`a rebuild has ${outcome.toLowerCase()}`);
    return `${outcome} ${generation}`;
  });
};

const rollBackOne = async (
  { process, store, storage, notes }: Operator,
  projection: ReadModel,
  signal: AbortSignal,
): Promise<string> =>
  failureOr(await rollBack({ runtime: process, storage, store, projection, signal }), ({ live }) => {
    notes.count('a rollback has switched');
    return `${live} is live again`;
  });

const onEntities = async (
  { process, store, storage, registry, notes }: Operator,
  { category, name: wanted }: Projection,
  command: 'verify' | 'repair',
  signal: AbortSignal,
): Promise<string> => {
  const operations = await operationsOn(process, store, storage, projectionsOf(registry));
  if (E.isLeft(operations)) return operations.left.message;
  const readModel = operations.right.readModels.find(({ name }) => name === wanted);
  if (readModel === undefined) return 'there is no such read model';
  if (command === 'verify') {
    const verified = await readModel.verify({
      sample: undefined,
      onDrift: ({ stream, kind, fields }) => {
        notes.breaks(`verified: ${stream} ${kind} ${fields.join()}`);
        return Promise.resolve();
      },
      onChecked: () => undefined,
      signal,
    });
    return failureOr(verified, ({ checked }) => `${checked} rows verified`);
  }
  const projection = projectionsOf(registry).find(({ name }) => name === wanted);
  const [live] = await storage.generations(wanted);
  const ids =
    live === undefined || projection === undefined
      ? []
      : await storage.storedRows(projection, live).idsAfter(undefined, 20);
  const id = oneOf(process, ids);
  if (id === undefined) return 'there is no row to repair';
  return failureOr(await readModel.repair(`${category}-${id}`), ({ _tag }) => {
    notes.count('a row was repaired');
    return `${id} ${_tag}`;
  });
};

const sweep = async ({ process, store, files, notes }: Operator, signal: AbortSignal): Promise<string> => {
  const { clock } = process;
  const swept = await sweepFiles({ clock, store, storage: files, onFault: () => undefined })(signal);
  if (E.isLeft(swept)) return swept.left._tag;
  notes.count('files were swept');
  return `${swept.right.examined} examined, ${swept.right.removed} removed`;
};

/** Has the log as it was written, for as long as `use` takes. */
const withKeys = async (
  operator: Operator,
  use: (operator: Operator, keyControl: KeyControl | undefined) => Promise<string>,
): Promise<string> => {
  const { process: runtime, config, store, keyState } = operator;
  if (keyState === undefined) return use(operator, undefined);
  const rules = encryptionRulesOf(operator.registry);
  const opening = { runtime, config, store, openState: () => keyState, rules, begins: 'not here' } as const;
  const opened = await openEncryption(opening);
  if (E.isLeft(opened)) return opened.left.message;
  const { encryption, keyControl, close } = opened.right;
  try {
    return await use({ ...operator, store: encryption ? encryptedStore(store, encryption) : store }, keyControl);
  } finally {
    await close();
  }
};

/** Runs a command. Gives what it says when it ends; rejects when it is killed. */
export const operate = async (operator: Operator, command: Command, target: Target): Promise<string> => {
  const { process } = operator;
  const registry = signingRows(operator.registry, operator.config.snapshotKey);
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const model = readModelsOf(registry).find(({ name }) => name === target.readModel);
  const run = (signing: Operator, keyControl: KeyControl | undefined): Promise<string> => {
    if (command === 'sweep') return sweep(signing, signal);
    if (command === 'erasure') {
      const { erasures } = signing;
      if (erasures === undefined || keyControl === undefined) return Promise.resolve('nothing can be erased');
      return eraseSubject({ ...signing, keyControl, erasures }, target.subject);
    }
    if (model === undefined) return Promise.resolve('there is no such read model');
    if (command === 'rebuild') return rebuildOne(signing, model, signal);
    if (command === 'rollback') return rollBackOne(signing, model, signal);
    return model.rowFor === 'entity'
      ? onEntities(signing, model, command, signal)
      : Promise.resolve('it has no entities');
  };
  // somebody presses Ctrl+C
  const cancel = process.random.fraction() < 0.1 ? process.clock.after(300, () => interrupted.abort()) : undefined;
  try {
    return await Promise.race([withKeys({ ...operator, registry }, run), process.end]);
  } catch (error) {
    if (!process.isAlive()) throw error;
    const isAway = isTransient(error) || (error instanceof Error && isTransient(error.cause));
    if (!isAway && !signal.aborted) operator.notes.breaks(`${nameOf(command)} ends with ${reasonOf(error)}`);
    return reasonOf(error);
  } finally {
    cancel?.();
  }
};
