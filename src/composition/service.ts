import { option as O } from 'fp-ts';
import { businessUseCases } from '../application/business/use-cases.js';
import { documentUseCases } from '../application/document/use-cases.js';
import { makeExecute } from '../application/execute.js';
import type { ObjectStorage, ProjectionProgress } from '../application/ports.js';
import { businessDecider } from '../domain/business/decide.js';
import { businessSerde } from '../domain/business/serde.js';
import { documentDecider } from '../domain/document/decide.js';
import { documentSerde } from '../domain/document/serde.js';
import type { Decider } from '../event-sourcing/decider.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { makeHandleCommand } from '../event-sourcing/command/handle-command.js';
import type { DomainEvent, Serde } from '../event-sourcing/serde.js';
import { businessRoutes } from '../http/business/routes.js';
import { documentRoutes } from '../http/document/routes.js';
import type { Route } from '../http/route.js';
import { renderBusiness } from '../read/business-view.js';
import { describeBusinessEvent } from '../read/describe-business-event.js';
import { describeDocumentEvent } from '../read/describe-document-event.js';
import { renderDocument } from '../read/document-view.js';
import type { EntityReads } from '../read/entity-reads.js';
import type { EventTelling } from '../read/event-view.js';
import type { Freshness } from '../read/freshness.js';
import { type FileContents, makeGetFile } from '../read/get-file.js';
import { makeGetView } from '../read/get-view.js';
import { makeHistory } from '../read/history.js';
import type { BusinessQueries, DocumentQueries, Queries } from '../read/queries.js';

/** A read model as the service sees it: what it answers and how far it has come. */
type ReadModel<Queries> = {
  readonly queries: Queries;
  readonly progress: ProjectionProgress;
  readonly freshness: Freshness;
};

export type ServicePorts = {
  readonly store: EventStore;
  readonly storage: ObjectStorage & FileContents;
  readonly businesses: ReadModel<BusinessQueries>;
  readonly documents: ReadModel<DocumentQueries>;
  readonly now: () => Date;
};

/** One kind of entity: its rules, and how its records and events are answered. */
type Kind<State, Command, Event extends DomainEvent, Rejection> = {
  readonly category: string;
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly serde: Serde<Event>;
  readonly telling: EventTelling<Event>;
  /** None for a state in which there is nothing to GET. */
  readonly render: (id: string, state: State) => O.Option<string>;
};

/** The one way in which commands on a kind of entity run, and its records and history are read. */
const connect = <State, Command, Event extends DomainEvent, Rejection, Filter>(
  { category, decider, serde, telling, render }: Kind<State, Command, Event, Rejection>,
  { queries, progress, freshness }: ReadModel<Queries<Filter>>,
  { store, now }: Pick<ServicePorts, 'store' | 'now'>,
) => {
  const history = makeHistory({ store, serde, fold: decider, telling, category });
  const reads: EntityReads<Filter> = {
    get: makeGetView({ queries, history, freshness, render }),
    page: queries.page,
    all: queries.all,
    newestRevision: history.newestRevision,
    events: history.events,
  };
  return { execute: makeExecute(makeHandleCommand({ decider, serde, store, now }), progress), history, reads };
};

export const makeBusinesses = (ports: ServicePorts) => {
  const { execute, reads } = connect(
    {
      category: 'business',
      decider: businessDecider,
      serde: businessSerde,
      telling: { entityType: 'Business', describe: describeBusinessEvent },
      render: (id, state) => (state._tag === 'Active' ? O.some(renderBusiness(id, state)) : O.none),
    },
    ports.businesses,
    ports,
  );
  return { ...businessUseCases(execute), ...reads };
};

const makeDocuments = (ports: ServicePorts) => {
  const { storage, documents } = ports;
  const { execute, history, reads } = connect(
    {
      category: 'document',
      decider: documentDecider,
      serde: documentSerde,
      telling: { entityType: 'Document', describe: describeDocumentEvent },
      render: (id, state) => (state._tag === 'Current' ? O.some(renderDocument(id, state)) : O.none),
    },
    documents,
    ports,
  );
  return {
    ...documentUseCases(execute, ports),
    ...reads,
    getFile: makeGetFile({ ...documents, history }),
    openFile: storage.open,
  };
};

export type EntityOptions = {
  /** Whether the document list may be read without a token. */
  readonly publicDocumentList: boolean;
  /** Largest file, bytes. */
  readonly maxUploadBytes: number;
};

/** The rows of the route table for every kind of entity. */
export const entityRoutes = (
  ports: ServicePorts,
  { publicDocumentList, maxUploadBytes }: EntityOptions,
): ReadonlyArray<Route> => [
  ...businessRoutes(makeBusinesses(ports)),
  ...documentRoutes(makeDocuments(ports), { isListPublic: publicDocumentList, maxUploadBytes }),
];
