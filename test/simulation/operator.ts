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
import { projectionsOf, readModelsOf, type Registry, signingRows } from '../../src/entities/registry.js';
import { reasonOf } from '../../src/event-sourcing/reason-of.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Storage } from '../../src/infrastructure/open-storage.js';
import { oneOf } from './chance.js';
import type { Notebook } from './notebook.js';
import type { SimulatedProcess } from './world.js';

export type Command = 'rebuild' | 'rollback' | 'verify' | 'repair' | 'sweep';

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

type Operator = {
  /** One of its own. */
  readonly process: SimulatedProcess;
  readonly store: EventStore;
  readonly storage: ReadModelStorage;
  readonly files: Storage;
  readonly registry: Registry;
  /** Rows are signed with it. */
  readonly snapshotKey: string | undefined;
  readonly notes: Notebook;
};

const failureOr = <A>(result: E.Either<EngineFailure, A>, show: (done: A) => string): string =>
  E.isLeft(result) ? result.left.message : show(result.right);

const rebuildOne = async (
  { process, store, storage, notes }: Operator,
  projection: ReadModel,
  signal: AbortSignal,
): Promise<string> => {
  const decide = async (compared: Rebuilt['compared']): Promise<'switch' | 'keep' | 'drop'> => {
    // live and rebuilt rows are compared at one position of the log
    if (compared !== undefined && !isSame(compared))
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

/** Runs a command on the read model of that name. Gives what it says when it ends; rejects when it is killed. */
export const operate = async (operator: Operator, command: Command, readModel: string): Promise<string> => {
  const { process } = operator;
  const registry = signingRows(operator.registry, operator.snapshotKey);
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const signing = { ...operator, registry };
  const model = readModelsOf(registry).find(({ name }) => name === readModel);
  const run = (): Promise<string> => {
    if (command === 'sweep') return sweep(signing, signal);
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
    return await Promise.race([run(), process.end]);
  } catch (error) {
    if (!process.isAlive()) throw error;
    if (!isTransient(error) && !signal.aborted) operator.notes.breaks(`a ${command} ends with ${reasonOf(error)}`);
    return reasonOf(error);
  } finally {
    cancel?.();
  }
};
