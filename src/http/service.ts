import { option as O } from 'fp-ts';
import { makeExecute } from '../application/execute.js';
import type { ObjectStorage, ProjectionProgress } from '../application/ports.js';
import { addOwner } from '../application/business/add-owner.js';
import { createBusiness } from '../application/business/create-business.js';
import { deleteBusiness } from '../application/business/delete-business.js';
import { removeOwner } from '../application/business/remove-owner.js';
import { updateBusiness } from '../application/business/update-business.js';
import { updateOwner } from '../application/business/update-owner.js';
import { admitUpload } from '../application/document/admit-upload.js';
import { createDocument } from '../application/document/create-document.js';
import { storeUpload } from '../application/document/store-upload.js';
import { updateDocument } from '../application/document/update-document.js';
import { businessDecider } from '../domain/business/decide.js';
import { businessSerde } from '../domain/business/serde.js';
import { documentDecider } from '../domain/document/decide.js';
import { documentSerde } from '../domain/document/serde.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { makeHandleCommand } from '../event-sourcing/handle-command.js';
import { renderBusiness } from '../read/business-view.js';
import { describeBusinessEvent } from '../read/describe-business-event.js';
import { describeDocumentEvent } from '../read/describe-document-event.js';
import { renderDocument } from '../read/document-view.js';
import type { Freshness } from '../read/freshness.js';
import { type FileContents, makeGetFile } from '../read/get-file.js';
import { makeGetView } from '../read/get-view.js';
import { makeHistory } from '../read/history.js';
import type { BusinessQueries, DocumentQueries } from '../read/queries.js';

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

const makeBusinesses = ({ store, businesses: { queries, progress, freshness }, now }: ServicePorts) => {
  const handle = makeHandleCommand({ decider: businessDecider, serde: businessSerde, store, now });
  const execute = makeExecute(handle, progress);
  const telling = { entityType: 'Business', describe: describeBusinessEvent } as const;
  const history = makeHistory({ store, serde: businessSerde, fold: businessDecider, telling, category: 'business' });
  return {
    create: createBusiness(execute),
    update: updateBusiness(execute),
    delete: deleteBusiness(execute),
    addOwner: addOwner(execute),
    updateOwner: updateOwner(execute),
    removeOwner: removeOwner(execute),
    get: makeGetView({
      queries,
      history,
      freshness,
      render: (id, state) => (state._tag === 'Active' ? O.some(renderBusiness(id, state)) : O.none),
    }),
    page: queries.page,
    all: queries.all,
    events: history.events,
  };
};

const makeDocuments = ({ store, storage, documents: { queries, progress, freshness }, now }: ServicePorts) => {
  const handle = makeHandleCommand({ decider: documentDecider, serde: documentSerde, store, now });
  const execute = makeExecute(handle, progress);
  const telling = { entityType: 'Document', describe: describeDocumentEvent } as const;
  const history = makeHistory({ store, serde: documentSerde, fold: documentDecider, telling, category: 'document' });
  return {
    admitUpload: admitUpload(store),
    storeUpload: storeUpload(storage),
    discardUpload: storage.remove,
    create: createDocument(execute, storage),
    update: updateDocument(execute, storage),
    get: makeGetView({
      queries,
      history,
      freshness,
      render: (id, state) => (state._tag === 'Current' ? O.some(renderDocument(id, state)) : O.none),
    }),
    getFile: makeGetFile({ queries, history, freshness }),
    openFile: storage.open,
    page: queries.page,
    all: queries.all,
    events: history.events,
  };
};

/** Everything the HTTP surface can ask for, made of the ports. */
export const makeService = (ports: ServicePorts) => ({
  businesses: makeBusinesses(ports),
  documents: makeDocuments(ports),
});

export type Service = ReturnType<typeof makeService>;
