import { option as O } from 'fp-ts';
import { documents, fileOfKept } from '../../../../projections/documents.js';
import type { DocumentQueries, FileVersion } from '../../../read/queries.js';
import { attempt, type ReadModelConnections } from './read-model.js';
import { makeQueries } from './read-model-queries.js';
import { makeRowById } from './row-by-id.js';

export const makeDocumentQueries = (connections: ReadModelConnections): DocumentQueries => {
  const keptById = makeRowById(connections.short, documents.name, 'kept');
  return {
    ...makeQueries(connections, documents),
    fileOf: (id) =>
      attempt(async (): Promise<O.Option<FileVersion>> => {
        const row = await keptById(id);
        if (row === undefined || row.column === null) return O.none;
        return O.some({ file: fileOfKept(row.column), revision: row.revision });
      }),
  };
};
