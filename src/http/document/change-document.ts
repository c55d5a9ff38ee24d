import { either as E, type taskEither as TE } from 'fp-ts';
import type { Outcome } from '../../application/execute.js';
import { commandIdsOf, type Origin } from '../../application/origin.js';
import type { DocumentState } from '../../domain/document/state.js';
import { renderDocument } from '../../read/document-view.js';
import type { AuthorizedExchange } from '../exchange.js';
import { API } from '../paths.js';
import type { Failure } from '../problem/failure.js';
import { outcomeHeaders } from '../record/outcome-headers.js';
import { recordId } from '../record/record-id.js';
import { originOf } from '../request/origin-of.js';
import { type Answer, ok } from '../response/answer.js';
import type { Service } from '../service.js';
import { CreateDocumentBody, CreateDocumentForm, UpdateDocumentBody, UpdateDocumentForm } from './body.js';
import type { FormDeps } from './multipart.js';
import { isForm, readDocument } from './read-document.js';

type Documents = Service['documents'];

const creation = { json: CreateDocumentBody, form: CreateDocumentForm, isFileRequired: true };
const update = { json: UpdateDocumentBody, form: UpdateDocumentForm, isFileRequired: false };

const formDeps = (documents: Documents, documentId: string, maxUploadBytes: number): FormDeps => ({
  store: (upload) => documents.storeUpload(documentId, upload),
  discard: documents.discardUpload,
  maxUploadBytes,
});

/** The document as the command left it. */
const answer = (
  id: string,
  { after, ...outcome }: Outcome<DocumentState>,
  ...headers: ReadonlyArray<string>
): E.Either<Failure, Answer> =>
  after._tag === 'Current'
    ? E.right(ok(renderDocument(id, after), ...headers, ...outcomeHeaders(outcome)))
    : E.left({ _tag: 'Unexpected', cause: 'a command has left no document behind' });

/** The id is fixed before the body is read: the file is stored below it. */
export const createDocument =
  (documents: Documents, maxUploadBytes: number) =>
  (exchange: AuthorizedExchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const origin = originOf(exchange);
    if (E.isLeft(origin)) return origin;
    const ids = commandIdsOf(origin.right);
    const read = await readDocument(creation, formDeps(documents, ids.entityId, maxUploadBytes))(exchange.ctx)();
    if (E.isLeft(read)) return read;
    const { fields, file = null } = read.right;
    const outcome = await documents.create(origin.right, ids, fields, file)();
    if (E.isLeft(outcome)) return outcome;
    return answer(ids.entityId, outcome.right, 'Location', `${API}/document/${ids.entityId}`);
  };

/** Whether there is a document to take the bytes for is asked before any of them is taken. */
const admit = async (
  { admitUpload }: Documents,
  origin: Origin,
  id: E.Either<Failure, string>,
): Promise<E.Either<Failure, void>> => (E.isLeft(id) ? id : admitUpload(origin, id.right)());

export const updateDocument =
  (documents: Documents, maxUploadBytes: number) =>
  (exchange: AuthorizedExchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const { ctx, params } = exchange;
    const origin = originOf(exchange);
    if (E.isLeft(origin)) return origin;
    const id = recordId(params['id']);
    const admitted = isForm(ctx.req) ? await admit(documents, origin.right, id) : E.right(undefined);
    if (E.isLeft(admitted)) return admitted;
    // Without form data nothing is stored, and the shape of the body is told before that of the id.
    const deps = formDeps(documents, E.isRight(id) ? id.right : 'unknown', maxUploadBytes);
    const read = await readDocument(update, deps)(ctx)();
    if (E.isLeft(read)) return read;
    if (E.isLeft(id)) return id;
    const { fields, file } = read.right;
    const outcome = await documents.update(origin.right, id.right, fields, file)();
    return E.isLeft(outcome) ? outcome : answer(id.right, outcome.right);
  };
