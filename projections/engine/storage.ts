import type { ByStream, KeyRange } from '../../src/event-sourcing/event-store.js';
import type {
  Checkpoint,
  From,
  Position,
  Revision,
  StoredEvent,
  StreamName,
} from '../../src/event-sourcing/recorded-event.js';
import type { ReadTiles } from '../../src/seal/read-tiles.js';
import type { Appended } from '../../src/seal/tree-edge.js';
import type { Ledger } from '../ledger.js';
import type { Projection } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import type { Generation, GenerationState, GenerationStatus, Role } from './generation/generation.js';
import type { Lease } from './generation/lease.js';
import type { NewRow } from './ledger/ledger-rows.js';
import type { LedgerEnd } from './ledger/number-rows.js';
import type { Parked } from './parked/parked.js';
import type { ComparedRows, Differences } from './rebuild/difference.js';
import type { TextRow } from './rows/differing-fields.js';
import type { FoldedBatch, Parking } from './rows/fold-batch.js';
import type { Entity } from './rows/rows.js';
import type { RowTexts } from './verify/ledger/row-texts.js';

/** What is needed to write a generation. */
export type Writer<Model extends ReadModel = ReadModel> = {
  readonly projection: Model;
  readonly generation: Generation;
  readonly lease: Lease;
  /** Whether other processes are told when the live checkpoint moves. */
  readonly notifies: boolean;
};

/** The writer of a read model with a row for each entity. */
export type EntityWriter = Writer<Projection>;

/** The writer of a read model with a row for each event. */
export type LedgerWriter = Writer<Ledger>;

/** A move of the checkpoint. */
export type Step = {
  readonly from: From;
  readonly to: Checkpoint;
  /** The newest applied event; undefined when none was applied. */
  readonly last: Generation['last'];
  /** Whether nothing may be written unless the generation is the live one. */
  readonly mustBeLive?: boolean;
};

/** What events make of entities. */
export type EntityBatch = FoldedBatch & { readonly events: ReadonlyArray<StoredEvent> };

/** What events make of a ledger and its tree. */
export type LedgerBatch = { readonly rows: ReadonlyArray<NewRow>; readonly tiles: Appended['tiles'] };

/** The role that the generation had then, and which entities were parked. */
type WrittenWithParking = { readonly role: Role; readonly parkings: ReadonlyArray<Parking> };

/**
 * Writes rows of one generation. A step and its rows are written together or not at all. Undefined, and nothing written, when
 * another has taken the lease, the checkpoint is not at `from`, or the generation must be the live one and is not. The
 * role is that which the generation had then.
 */
type Steps = {
  /** Moves the checkpoint over events that change no row. */
  readonly step: (step: Step) => Promise<Role | undefined>;
};

export type EntityRows = Steps & {
  /**
   * Makes the rows of entities, and gives what writes them with a step. A row of a lower revision than the one that is
   * there is passed over. `Rejected`: one of them cannot be stored, and nothing was written.
   */
  readonly prepare: (entities: ReadonlyArray<Entity>) => (step: Step) => Promise<Role | 'Rejected' | undefined>;
  /**
   * Writes the rows of entities, parks those whose row cannot be stored at their first event of the batch, and records all
   * that is parked. The row of a parked entity stays as it was; one without a row gets an empty one.
   */
  readonly writeWithParking: (step: Step, batch: EntityBatch) => Promise<WrittenWithParking | undefined>;
  /** The entities among these that have a row, by id. */
  readonly read: (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, Entity>>;
  /** The streams of which an event is parked, by its position; at most so many. */
  readonly parkedStreams: (limit: number) => Promise<ReadonlyArray<StreamName>>;
};

export type LedgerRows = Steps & {
  /** Makes rows and tiles, and gives what writes them with a step. */
  readonly prepare: (batch: LedgerBatch) => (step: Step) => Promise<Role | undefined>;
  /** Where the next row goes. */
  readonly end: () => Promise<LedgerEnd>;
  /** Leaves from an index on, in the order of their rows. */
  readonly leaves: (
    from: bigint,
    limit: number,
  ) => Promise<ReadonlyArray<{ readonly index: bigint; readonly leaf: Buffer }>>;
  readonly readTiles: ReadTiles<never>;
  /** Writes tiles over those of the same place, without a step. */
  readonly writeTiles: (tiles: Appended['tiles']) => Promise<void>;
};

/** Rows of generations, to be written. */
export type RowStorage = {
  readonly entityRows: (writer: EntityWriter) => EntityRows;
  readonly ledgerRows: (writer: LedgerWriter) => LedgerRows;
};

export type NewGeneration = Pick<Generation, 'role' | 'logIdentity'> & {
  /** Built by an operator: a service does not write it before it is live, and what reads need of it is completed last. */
  readonly isRebuild: boolean;
  /** How many skipped events it is built without. */
  readonly skips: number;
  /** Who gets its lease; default: nobody. */
  readonly holder?: string;
};

/** A batch that is written as a part of a change. */
export type BatchOfChange =
  | { readonly rowFor: 'entity'; readonly writer: EntityWriter; readonly step: Step; readonly batch: EntityBatch }
  | { readonly rowFor: 'event'; readonly writer: LedgerWriter; readonly step: Step; readonly batch: LedgerBatch };

/** What becomes of the generations of one read model; in this order. */
export type Change = {
  /**
   * Of a generation that is not the live one. Entities are written with parking. Nothing is changed when this step cannot be
   * written. It is written by itself, before all else: it stays when the rest cannot be done.
   */
  readonly write?: BatchOfChange | undefined;
  /** Nothing is changed when another holds one of these leases. */
  readonly acquire?: { readonly holder: string; readonly names: ReadonlyArray<string> };
  /** The name of the generation that becomes the live one. The one that was live becomes previous. */
  readonly makeLive?: string;
  /** Gives a lease to whoever has the lease `to` now, for as long: so no third process can take it in between. */
  readonly handOver?: { readonly lease: Lease; readonly to: string };
  /** The names of generations that go, with their rows, leases and parked entities. */
  readonly drop?: ReadonlyArray<string>;
  readonly create?: NewGeneration;
  /** The names of generations that are never dropped by their age from now on. */
  readonly markEvidence?: ReadonlyArray<string>;
};

/** What a change has made. */
export type Changed = {
  readonly created: Generation | undefined;
  /** Those of `acquire`, in its order, and then that of `create`. */
  readonly leases: ReadonlyArray<Lease>;
};

type ChangeOptions = {
  /** Must be held, and cannot be taken before the change is done. */
  readonly lease?: Lease;
  /** Gives up after 300 ms where others read or write what is changed: those that come later wait behind it. */
  readonly isBrief?: boolean;
};

/** How far the live rows of one read model are. */
export type LiveCheckpoint = {
  readonly projection: string;
  /** -1 before anything was written. */
  readonly commit: Position;
  /**
   * Whether a process may write them now. `Lapsed`: the last one has stopped renewing its lease. `Free`: it has given the
   * lease back, and another is about to take it.
   */
  readonly lease: 'Held' | 'Lapsed' | 'Free';
};

/** A row, and the checkpoint and parked event that belong to it at the same moment. */
export type RowSnapshot = {
  /** Undefined: there is no row. */
  readonly row: TextRow | undefined;
  /** All events up to this position are in the rows; undefined before the first. */
  readonly checkpoint: bigint | undefined;
  /** Revision of the event at which the entity is parked. */
  readonly parkedAt: Revision | undefined;
};

/** A part of the rows in the order of their ids; each bound that is undefined excludes none. */
export type RowRange = {
  /** Inclusive. */
  readonly from: string | undefined;
  /** Exclusive: the last row that was read before. */
  readonly after: string | undefined;
  /** Exclusive. */
  readonly before: string | undefined;
  readonly limit: number;
};

/** The rows of one generation with a row for each entity, as they are stored. */
export type StoredRows = {
  /** Of each id, in their order; all of one moment. Undefined when the generation was dropped, and of no ids. */
  readonly snapshots: (ids: ReadonlyArray<string>) => Promise<ReadonlyArray<RowSnapshot> | undefined>;
  readonly texts: (range: RowRange) => Promise<ReadonlyArray<TextRow>>;
  /** Ids of rows after `after`, in order; from the first without it. */
  readonly idsAfter: (after: string | undefined, limit: number) => Promise<ReadonlyArray<string>>;
  /** Ids of so many rows, drawn by chance. */
  readonly sample: (size: number) => Promise<ReadonlyArray<string>>;
  /** The id of a row behind about so much of the rows (0 to 1) as they lie; undefined where none is there. */
  readonly idBehind: (share: number) => Promise<string | undefined>;
  /**
   * Looks through the live rows of a ledger behind an index, so many of them, for entities that have no row here. `last`: the
   * index of the last one that was looked at; undefined where there is none.
   */
  readonly missing: (
    ledger: string,
    after: bigint,
    limit: number,
  ) => Promise<{ readonly ids: ReadonlyArray<string>; readonly last: bigint | undefined }>;
};

/** A row of the ledger as it is stored. */
export type StoredRow = { readonly index: bigint; readonly leaf: Buffer; readonly texts: RowTexts };

/** Names an event, whatever is in it. */
export type EventKey = { readonly category: string; readonly entity: string; readonly revision: Revision };

/** The live rows of a ledger, as they are stored, whichever generation that is. */
export type StoredLedger = {
  /** One more than the highest index. */
  readonly size: () => Promise<bigint>;
  /** Rows from this index on, in their order. */
  readonly rows: (from: bigint, limit: number) => Promise<ReadonlyArray<StoredRow>>;
  /** The index of the row of each event: the first one that is not before `from`, else one before it. */
  readonly placesOf: (keys: ReadonlyArray<EventKey>, from: bigint) => Promise<ReadonlyArray<bigint | undefined>>;
  /** The tree that is kept of the rows. */
  readonly readTiles: ReadTiles<never>;
};

/** The row of an entity as it is to be, and what is parked of its stream. */
export type RewrittenRow = {
  readonly stream: StreamName;
  /** Undefined: it has no row. */
  readonly entity: Entity | undefined;
  readonly parking: Parking | undefined;
  /** Whether nothing may be written unless the generation is the live one. */
  readonly mustBeLive?: boolean;
};

/** A key-range chunk: all rows of the streams from one name on to before another, written at once. */
export type PlannedChunk = KeyRange & { readonly number: number };

export type LoadingChunk = {
  /** Called as events are folded: how many since the last call. */
  readonly onEvents: (count: number) => void;
  readonly signal: AbortSignal;
};

/** Loads a chunk; called for one chunk at a time. */
export type Loader = (chunk: PlannedChunk, upTo: Position, loading: LoadingChunk) => Promise<void>;

/** Makes loaders that work at the same time, each on a chunk of its own, for what is needed to write the same generation. */
export type MakeLoaders = (job: { readonly generation: Generation; readonly lease: Lease }) => {
  readonly loaders: ReadonlyArray<Loader>;
  readonly close: () => Promise<void>;
};

export type LoadingByKey = {
  /** Default: this thread. */
  readonly makeLoaders: MakeLoaders | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number, share: number) => void;
  readonly onChunksLoaded: (loaded: number, chunks: number) => void;
};

/**
 * Where read models are kept. Each call is whole: one statement or one transaction, which takes effect at one moment or not
 * at all, so that calls of any number of processes come one after the other. The exceptions say so. Rejects with errors of
 * the storage (`isDatabaseError`); then it is unknown whether the call took effect.
 *
 * Every implementation passes `test/contract/read-model-storage.contract.ts`.
 */
export type ReadModelStorage = RowStorage & {
  /** Makes what read models are kept in, or brings it to this program's version; several processes may call it at once. */
  readonly migrate: () => Promise<void>;
  /** Whether it was ever made. */
  readonly isMigrated: () => Promise<boolean>;

  /**
   * The generations of a read model: the live one, those that are built, those that were live; each time the one with the
   * newest role first. None where nothing was made yet.
   */
  readonly generations: (readModel: string) => Promise<ReadonlyArray<Generation>>;
  /** The generations of all read models, by name and in the same order. */
  readonly statuses: () => Promise<ReadonlyArray<GenerationStatus>>;
  readonly liveCheckpoints: () => Promise<ReadonlyArray<LiveCheckpoint>>;
  /**
   * Calls `onCheckpoint` when a writer that notifies has moved a live checkpoint, until `signal` aborts, and `onLost` when it may
   * have missed some: whoever waits for a checkpoint must also poll.
   */
  readonly listen: (
    onCheckpoint: (readModel: string, commit: Position) => void,
    onLost: () => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /**
   * Notes beside the live rows, under the name of their log, that a change at this position is acknowledged though they
   * lack it. A lower position than the noted one changes nothing. Rejects within seconds.
   */
  readonly noteAcknowledged: (readModel: string, position: Position) => Promise<void>;

  /**
   * Takes the lease of a generation for `LEASE_MS`, or renews it for its holder. Undefined while another holds it, and when
   * the generation was dropped. `takeOver` takes it from another holder. A new holder gets a higher fencing number.
   */
  readonly acquire: (name: string, holder: string, takeOver: boolean) => Promise<Lease | undefined>;
  /** Lets the next holder begin at once. When the storage is away, the lease expires instead. */
  readonly release: (lease: Lease) => Promise<void>;

  /**
   * Changes the generations of one read model as `decide` says, which sees all of them as they are at that moment, in the order of
   * `generations`. One change at a time, over all processes, and the checkpoint of the live rows does not move meanwhile.
   * `decide` must be quick; when it throws, nothing is changed. Undefined, and nothing changed: when `decide` gives that, a lease was not to be had, or
   * `isBrief`.
   */
  readonly change: (
    projection: ReadModel,
    decide: (generations: ReadonlyArray<GenerationState>) => Change | undefined,
    options?: ChangeOptions,
  ) => Promise<Changed | undefined>;
  /** Whether rows of a ledger hold what others of it lack: the log has lost it since, and these are what is left. */
  readonly holdsMore: (rows: Pick<Generation, 'name'>, than: Pick<Generation, 'name'>) => Promise<boolean>;
  /** Makes what reads need of a whole table and it lacks. Not whole: what it has made stays. */
  readonly complete: (projection: ReadModel, generation: Pick<Generation, 'name'>) => Promise<void>;
  /**
   * Compares the rows of a generation with the live ones, by id. `decide` sees both while the checkpoint of the live ones cannot
   * move, and says which batch is to be written first, so that they are at the same position. They are compared as they
   * are then; meanwhile others write. `NoLiveRows`: there is nothing to compare with. Undefined, and nothing written: when `decide` gives
   * that, the batch cannot be written, the lease is not held, or others held what is needed for more than 300 ms.
   */
  readonly compare: (
    writer: Writer,
    decide: (live: Generation, own: Generation) => { readonly write: BatchOfChange | undefined } | undefined,
    differences: Differences,
  ) => Promise<ComparedRows | 'NoLiveRows' | undefined>;

  /** Gives `work` a storage whose batches do not wait for each other's connections, for as long as it works. Not whole. */
  readonly whileWriting: <A>(work: (rows: RowStorage) => Promise<A>) => Promise<A>;
  /**
   * Writes the row of one entity anew, whatever it is like, and what is parked of its stream. No batch that was begun before is
   * written after it. `Moved`, and nothing written: the lease was taken, the checkpoint is not at `at`, or the generation is
   * not the live one and must be. `rejected`: why the row cannot be stored; nothing is written.
   */
  readonly rewrite: (
    writer: EntityWriter,
    at: From,
    row: RewrittenRow,
  ) => Promise<'Written' | 'Moved' | { readonly rejected: string }>;
  /** Why the row of an entity could not be stored; undefined when it could. Nothing is written. */
  readonly whyRejected: (writer: EntityWriter, entity: Entity) => Promise<string | undefined>;

  /** Entities parked in the live rows, by read model; without those that have none. */
  readonly countParked: () => Promise<Readonly<Record<string, number>>>;
  /** At most `limit` parked entities of the live rows, the longest parked first. */
  readonly listParked: (limit: number) => Promise<ReadonlyArray<Parked>>;
  readonly findParked: (stream: StreamName) => Promise<Parked | undefined>;

  readonly storedRows: (projection: Projection, generation: Pick<Generation, 'name'>) => StoredRows;
  readonly storedLedger: (ledger: string) => StoredLedger;

  /**
   * Loads a generation that has no checkpoint yet from a log that can be read by key ranges, and moves the checkpoint to
   * `upTo`. Not whole: loaded chunks survive a crash, and it goes on behind them. Undefined when a row was rejected: then
   * nothing is loaded. Absent where a storage cannot. Throws the signal's reason when aborted, and `LeaseLost`.
   */
  readonly loadByKey?: (
    writer: EntityWriter,
    order: ByStream,
    upTo: Position,
    loading: LoadingByKey,
  ) => Promise<Checkpoint | undefined>;
};

/** A storage for one owner, who closes it when nobody calls it any more. */
export type OwnStorage = ReadModelStorage & { readonly close: () => Promise<void> };
