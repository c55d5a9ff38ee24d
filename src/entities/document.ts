import { option as O } from 'fp-ts';
import { documentQueries, documents } from '../../projections/documents.js';
import { documentUseCases } from '../application/document/use-cases.js';
import type { DocumentCommand } from '../domain/document/commands.js';
import { documentDecider } from '../domain/document/decide.js';
import type { DocumentEvent } from '../domain/document/events.js';
import type { DocumentRejection } from '../domain/document/rejections.js';
import { documentSerde } from '../domain/document/serde.js';
import type { DocumentState } from '../domain/document/state.js';
import { describeDocumentEvent, shownOfDocumentEvents } from '../read/describe-document-event.js';
import { documentComparison, renderDocument } from '../read/document-view.js';
import { isDocumentErased, makeGetFile } from '../read/get-file.js';
import { defineEntity } from './define-entity.js';

export const document = defineEntity<DocumentState, DocumentCommand, DocumentEvent, DocumentRejection>({
  name: 'Document',
  decider: documentDecider,
  serde: documentSerde,
  describe: describeDocumentEvent,
  shown: shownOfDocumentEvents,
  render: (id, state) => (state._tag === 'Current' ? O.some(renderDocument(id, state)) : O.none),
  comparison: documentComparison,
  projection: documents,
  routes: ({ execute, foresee, history, earlier, reads }, ports) =>
    import('../http/document/routes.js').then(({ documentRoutes }) =>
      documentRoutes(
        {
          ...documentUseCases(ports.runtime.random, execute, ports),
          ...reads,
          foresee,
          earlier,
          getFile: makeGetFile({
            ...ports,
            clock: ports.runtime.clock,
            queries: documentQueries(ports.queries),
            history,
          }),
          files: {
            open: ports.storage.open,
            onFault: ports.onFileFault,
            isErased: (id) => isDocumentErased(ports.store, id),
          },
        },
        { isListPublic: ports.publicDocumentList, maxUploadBytes: ports.maxUploadBytes, links: ports.links },
      ),
    ),
});
