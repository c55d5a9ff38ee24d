import type { option as O } from 'fp-ts';
import type { LedgerKind } from '../../projections/ledger.js';
import type { ProjectionOf } from '../../projections/projection.js';
import type { FindTrustedRow } from '../../projections/snapshot.js';
import type { Execute } from '../application/execute.js';
import type { Foresee } from '../application/foresee.js';
import type { ObjectStorage, ProjectionProgress } from '../application/ports.js';
import type { ShownRows } from '../event-sourcing/command/shown-rows.js';
import type { Decider } from '../event-sourcing/decider.js';
import type { Decisions } from '../event-sourcing/decisions.js';
import type { EventKey } from '../event-sourcing/event-key.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import type { OnLost } from '../event-sourcing/log-memory.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import type { FindSkipped } from '../event-sourcing/passed-over.js';
import type { DomainEvent, Serde } from '../event-sourcing/serde.js';
import type { Links } from '../http/link/links.js';
import type { Route } from '../http/route.js';
import type { EarlierState, EntityReads } from '../read/entity-reads.js';
import type { Comparison } from '../read/event-diffs.js';
import type { OnFileFault } from '../read/file-fault.js';
import type { FileContents } from '../read/get-file.js';
import type { History } from '../read/history.js';
import type { LedgerFeed } from '../read/ledger-feed.js';
import type { FilterValues, HiddenStates, Queries } from '../read/queries.js';
import type { Description } from '../read/ref.js';
import type { Freshness } from '../read/row-or-fold.js';

/** What a kind of entity is served from. */
export type EntityPorts = {
  readonly store: EventStore;
  readonly storage: ObjectStorage & FileContents;
  /** Told of each file that was asked for and is not as its event says. */
  readonly onFileFault: OnFileFault;
  /** The queries of its own read model, and how far its projection has come. */
  readonly queries: Queries<FilterValues> & HiddenStates;
  /** Its signed rows, which may stand in for folds of their streams. */
  readonly findTrustedRow: FindTrustedRow;
  /** The events that operators have decided to skip. */
  readonly findSkipped: FindSkipped;
  /** Its rows as evidence of events that were in the log. */
  readonly rows: ShownRows;
  /** Where commands leave what they decide, for the projector of this process. */
  readonly decisions: Decisions;
  /** Tells when the log has lost events. */
  readonly onLost: OnLost;
  /** What new events are sealed with; without it they have no `mac`. */
  readonly eventKey?: EventKey | undefined;
  readonly progress: ProjectionProgress;
  readonly freshness: Freshness;
  /** Of the events of all kinds. */
  readonly feed: LedgerFeed;
  readonly runtime: Runtime;
  /** Links to reads, for who cannot send a token. Undefined: none are made. */
  readonly links?: Links | undefined;
  /** Whether the document list may be read without a token. */
  readonly publicDocumentList: boolean;
  /** Largest file, bytes. */
  readonly maxUploadBytes: number;
};

/** What its events are read from. */
export type HistoryPorts = Pick<EntityPorts, 'store' | 'findSkipped'> & { readonly clock: Clock };

/** The one way in which commands on a kind of entity run, and its records and history are read. */
export type Connected<State, Command, Rejection> = {
  readonly execute: Execute<State, Command, Rejection>;
  readonly foresee: Foresee<State, Command, Rejection>;
  readonly history: History<State>;
  readonly earlier: EarlierState<State>;
  readonly reads: EntityReads<FilterValues>;
};

/** One kind of entity: everything that is particular to it, once. */
export type EntityDefinitionOf<State, Command, Event extends DomainEvent, Rejection> = {
  /** As events and API name it: their `entityType`. */
  readonly name: string;
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly serde: Serde<Event>;
  /** What an auditor reads of an event beside its envelope. */
  describe(this: void, event: Event): Description;
  /** What of the values of an event that may depend on, as in `EventDescription`. */
  readonly shown?: ReadonlyArray<string>;
  /** The types of events that are about another person than the record: their data can be erased by itself. */
  readonly aboutOthers?: ReadonlyArray<Event['type']>;
  /** The record as GET answers it; none for a state in which there is nothing to GET. */
  render(this: void, id: string, state: State): O.Option<string>;
  /** What its history compares of two states. Without it: the members of what `render` gives, lists as a whole. */
  readonly comparison?: Comparison<State>;
  readonly projection: ProjectionOf<State, Event>;
  /** Its rows of the route table. It imports them when it is called: only a process that serves needs the HTTP layer. */
  routes(
    this: void,
    connected: Connected<State, Command, Rejection>,
    ports: EntityPorts,
  ): Promise<ReadonlyArray<Route>>;
};

/** A kind of entity for code that treats all kinds alike: its states, events and commands are opaque. */
export type EntityDefinition = Omit<
  EntityDefinitionOf<unknown, never, DomainEvent, never>,
  'decider' | 'comparison' | 'routes'
> & {
  /** How the ledger shows its events. */
  readonly ledgerKind: LedgerKind;
  /** What its events say and changed, in which those that are skipped change nothing. */
  readonly history: (ports: HistoryPorts) => Pick<History<never>, 'newestRevision' | 'changes'>;
  /** Its rows of the route table, connected to the ports. */
  readonly serve: (ports: EntityPorts) => Promise<ReadonlyArray<Route>>;
};
