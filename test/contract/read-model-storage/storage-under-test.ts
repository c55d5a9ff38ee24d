import { randomUUID } from 'node:crypto';
import { businesses } from '../../../projections/businesses.js';
import type { Generation, Role } from '../../../projections/engine/generation/generation.js';
import type { Lease } from '../../../projections/engine/generation/lease.js';
import type { Parking } from '../../../projections/engine/rows/fold-batch.js';
import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import type { Entity } from '../../../projections/engine/rows/rows.js';
import type {
  EntityWriter,
  NewGeneration,
  ReadModelStorage,
  RowRange,
  Step,
  Writer,
} from '../../../projections/engine/storage.js';
import type { Projection } from '../../../projections/projection.js';
import type { ReadModel } from '../../../projections/read-model.js';
import { makeSnapshots } from '../../../projections/snapshot.js';
import { versionOf } from '../../../projections/version.js';
import { type BusinessState, unsetFields } from '../../../src/domain/business/state.js';
import {
  checkpointAt,
  type From,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../../src/event-sourcing/recorded-event.js';
import { stored } from '../../support/recorded.js';

/** Where read models are kept, as two processes have it. */
export type Place = {
  readonly one: ReadModelStorage;
  readonly other: ReadModelStorage;
  /** Has leases last as long as a test, however busy the machine is. To be called once the place is migrated. */
  readonly keepLeases: () => Promise<void>;
  /** So much longer than asked for, seconds. */
  readonly keptSeconds: number;
  /** Lets so much time pass that this lease is over; perhaps others, too. */
  readonly letLeaseExpire: (name: string) => Promise<void>;
  /** What was noted beside the rows of a log. */
  readonly acknowledged: (readModel: string, logIdentity: string) => Promise<Position | undefined>;
  /** Holds the locks of a reader of the live rows and of their writer while `work` runs. Absent: there are no locks. */
  readonly whileLocked?: (readModel: string, work: () => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** What the groups of the suite share: the place that is being tested, once it has been made. */
export type PlaceUnderTest = () => Place;

const KEY = 'a key that only the processes of a service have';

/** A read model with key columns of each type, under a name that no other test uses: other read models may be there. */
export const aProjection = (over: { readonly name?: string; readonly revision?: number } = {}): Projection => {
  const projection = { ...businesses, name: `m${randomUUID().slice(0, 8)}`, ...over };
  return { ...projection, snapshots: makeSnapshots(KEY, versionOf(projection)) };
};

/** The same read model in a program of another version. */
export const otherVersionOf = ({ name }: Projection): Projection =>
  aProjection({ name, revision: businesses.revision + 1 });

export const streamOf = ({ id }: Pick<Entity, 'id'>): StreamName => `business-${id}`;

type Shown = { readonly name?: string; readonly ein?: string | null; readonly owners?: ReadonlyArray<string> };

export const activeBusiness = ({ name = 'Acme', ein = null, owners = [] }: Shown = {}): BusinessState => ({
  _tag: 'Active',
  fields: { ...unsetFields, name, ein },
  owners: owners.map((user) => ({ user, title: null, equity: null })),
  since: owners.map((_, at) => at + 1),
});

const AT = '2026-01-02T03:04:05.678Z';

/** A business after its first event, which is at position 5. */
export const aBusiness = ({ name, ein, owners, ...over }: Partial<Entity> & Shown = {}): Entity => ({
  id: randomUUID(),
  state: activeBusiness({
    ...(name === undefined ? {} : { name }),
    ...(ein === undefined ? {} : { ein }),
    ...(owners === undefined ? {} : { owners }),
  }),
  revision: 0n,
  creationPosition: 5n,
  createdAt: AT,
  updatedAt: AT,
  isParked: false,
  summary: { lastHash: 'a'.repeat(64), lastAt: AT, hasKeyedCommands: false },
  ...over,
});

/** One whose row cannot be stored. */
export const aRejected = (over: Partial<Entity> = {}): Entity => aBusiness({ name: 'NUL \0', ...over });

/** Events of a business: so many, from a revision and a position on. */
export const eventsOf = (
  entity: Pick<Entity, 'id'>,
  { revision = 0n, position = 5n, count = 1 } = {},
): ReadonlyArray<StoredEvent> =>
  Array.from({ length: count }, (_, index) => {
    const at = revision + BigInt(index);
    const event = stored(
      { type: 'BusinessCreated', data: { name: 'Acme' } },
      { stream: streamOf(entity), revision: at },
    );
    return { ...event, position: position + BigInt(index) };
  });

/** An event that cannot be projected. */
export const aParking = (
  entity: Pick<Entity, 'id'>,
  { revision = 0n, position = 5n, reason = 'from the future', waiting = 1 } = {},
): Parking => ({ event: eventsOf(entity, { revision, position })[0]!, reason, waiting });

/** From the beginning, or from a position, to a position. */
export const stepTo = (to: Position, from: Position | 'start' = 'start', over: Partial<Step> = {}): Step => ({
  from: fromOf(from),
  to: checkpointAt(to),
  last: undefined,
  ...over,
});

const fromOf = (from: Position | 'start'): From => (from === 'start' ? 'start' : checkpointAt(from));

type Made<Model extends ReadModel> = Writer<Model> & { readonly name: string };

/** Makes a generation, whose lease its writer has. */
export const aWriter = async <Model extends ReadModel>(
  { one }: Pick<Place, 'one'>,
  projection: Model,
  over: Partial<NewGeneration> = {},
): Promise<Made<Model>> => {
  const create = { role: 'live', logIdentity: 'a-log', isRebuild: false, skips: 0, holder: 'one', ...over } as const;
  const changed = await one.change(projection, () => ({ create }));
  const [generation, lease] = [changed?.created, changed?.leases[0]];
  if (generation === undefined || lease === undefined) throw new Error('no generation was made');
  return { projection, generation, lease, notifies: false, name: generation.name };
};

/** Of generations that nobody holds. */
export const aGeneration = async (
  { one }: Pick<Place, 'one'>,
  projection: ReadModel,
  role: Role,
  over: Partial<NewGeneration> = {},
): Promise<Generation> => {
  const create = { role, logIdentity: 'a-log', isRebuild: false, skips: 0, ...over };
  const created = (await one.change(projection, () => ({ create })))?.created;
  if (created === undefined) throw new Error('no generation was made');
  return created;
};

/** For arranging: writes rows from where the generation is. */
export const written = async (
  { one }: Pick<Place, 'one'>,
  writer: EntityWriter,
  step: Step,
  ...entities: ReadonlyArray<Entity>
): Promise<void> => {
  const outcome = await one.entityRows(writer).prepare(entities)(step);
  if (outcome === undefined || outcome === 'Rejected') throw new Error(`not written: ${outcome ?? 'fenced off'}`);
};

/** For arranging: takes a lease that can be had. */
export const acquired = async (storage: ReadModelStorage, name: string, holder: string): Promise<Lease> => {
  const lease = await storage.acquire(name, holder, true);
  if (lease === undefined) throw new Error(`there is no ${name}`);
  return lease;
};

export const ALL: RowRange = { from: undefined, after: undefined, before: undefined, limit: 1_000 };

export const rowsOf = (
  storage: ReadModelStorage,
  projection: Projection,
  generation: Pick<Generation, 'name'>,
): Promise<ReadonlyArray<TextRow>> => storage.storedRows(projection, generation).texts(ALL);

/** All that is kept of a projection, but for times. */
export const whatIsThere = async (storage: ReadModelStorage, projection: Projection) => {
  const statuses = (await storage.statuses()).filter((status) => status.projection === projection.name);
  const parked = (await storage.listParked(10_000)).filter((one) => one.projection === projection.name);
  const generations = [];
  for (const { roleSince: _roleSince, leader, ...status } of statuses)
    generations.push({ ...status, holder: leader?.holder, rows: await rowsOf(storage, projection, status) });
  return { generations, parked: parked.map(({ since: _since, ...one }) => one) };
};
