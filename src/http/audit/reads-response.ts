import * as t from 'io-ts';
import { explain, named } from '../fields/json-schema.js';
import { count, instant } from '../openapi/response-schemas.js';

const textOrNull = t.union([t.string, t.null]);

const ReadResponse = named(
  'Read',
  explain(
    {
      '': 'A row of the record of reads. Every key is there; null where it says nothing of that read.',
      id: 'Its place in the record: `after` of a page. Grows, with gaps.',
      at: 'When it was answered, UTC.',
      user: 'Who read.',
      operation: 'The operation of HTTP, or the command.',
      entityType: 'The kind of the record that was read; null where it was not a single one.',
      entity: 'The _id of that record.',
      what: 'The parameters, joined by &. Of one that can name a person, the name alone. ×3 is a feed that was opened so often.',
      form: 'How the answer was written.',
      requestId: 'Names the request in the log of the service; null of a command.',
    },
    t.type({
      id: count,
      at: instant,
      user: t.string,
      operation: t.string,
      entityType: textOrNull,
      entity: textOrNull,
      what: t.string,
      form: t.string,
      requestId: textOrNull,
    }),
  ),
);

export const ReadsResponse = t.array(ReadResponse);
