import { either as E } from 'fp-ts';
import type * as t from 'io-ts';
import type { DocumentUseCases } from '../../application/document/use-cases.js';
import type { Outcome } from '../../application/execute.js';
import { type CommandIds, commandIdsOf, type CommandContext } from '../../application/command-context.js';
import type { DocumentRejection } from '../../domain/document/rejections.js';
import type { DocumentState } from '../../domain/document/state.js';
import { renderDocument } from '../../read/document-view.js';
import type { AuthorizedExchange } from '../exchange.js';
import { API } from '../paths.js';
import type { BodyFailure, Failure } from '../problem/failure.js';
import { outcomeHeaders } from '../record/outcome-headers.js';
import { recordId } from '../record/record-id.js';
import { decodeRequest } from '../request/decode.js';
import { commandContextOf } from '../request/command-context-of.js';
import { readCommand } from '../request/read-command.js';
import { type Answer, ok } from '../response/answer.js';
import { CreateDocumentBody, CreateDocumentForm, UpdateDocumentBody, UpdateDocumentForm } from './body.js';
import type { FormDeps } from './form/multipart.js';
import { type DocumentRequest, isForm, readDocumentForm } from './form/read-document-form.js';

const creation = { fields: CreateDocumentForm, isFileRequired: true };
const update = { fields: UpdateDocumentForm, isFileRequired: false };

const formDeps = (documents: DocumentUseCases, documentId: string, maxUploadBytes: number): FormDeps => ({
  store: (upload) => documents.storeUpload(documentId, upload),
  discard: documents.discardUpload,
  heldPerUpload: documents.heldPerUpload,
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

type Asked<Fields> = readonly [CommandContext, DocumentRequest<Fields>];

/** What JSON asks, which never brings a file; the faults of headers and body at once. */
const readJson = async <Fields>(
  exchange: AuthorizedExchange,
  codec: t.Decoder<unknown, Fields>,
): Promise<E.Either<BodyFailure, Asked<Fields>>> =>
  E.map(([context, fields]: readonly [CommandContext, Fields]) => [context, { fields, file: undefined }] as const)(
    await readCommand(exchange, decodeRequest(codec)),
  );

type Created = readonly [...Asked<t.TypeOf<typeof CreateDocumentBody>>, CommandIds];

const createdByJson = async (exchange: AuthorizedExchange): Promise<E.Either<Failure, Created>> =>
  E.map(
    ([context, asked]: Asked<t.TypeOf<typeof CreateDocumentBody>>) => [context, asked, commandIdsOf(context)] as const,
  )(await readJson(exchange, CreateDocumentBody));

/** The id is fixed before the form is read: the file is stored below it. */
const createdByForm =
  (documents: DocumentUseCases, maxUploadBytes: number) =>
  async (exchange: AuthorizedExchange): Promise<E.Either<Failure, Created>> => {
    const context = commandContextOf(exchange);
    if (E.isLeft(context)) return context;
    const ids = commandIdsOf(context.right);
    const deps = formDeps(documents, ids.entityId, maxUploadBytes);
    const asked = await readDocumentForm(creation, deps)(exchange.ctx);
    return E.isLeft(asked) ? asked : E.right([context.right, asked.right, ids]);
  };

export const createDocument = (documents: DocumentUseCases, maxUploadBytes: number) => {
  const byForm = createdByForm(documents, maxUploadBytes);
  return async (exchange: AuthorizedExchange): Promise<E.Either<Failure | DocumentRejection, Answer>> => {
    const read = await (isForm(exchange.ctx.req) ? byForm : createdByJson)(exchange);
    if (E.isLeft(read)) return read;
    const [context, { fields, file = null }, ids] = read.right;
    const outcome = await documents.create(context, ids, fields, file);
    if (E.isLeft(outcome)) return outcome;
    return answer(ids.entityId, outcome.right, 'Location', `${API}/document/${ids.entityId}`);
  };
};

/** Whether there is a document to take the bytes for is asked before any of them is taken. */
const updatedByForm =
  (documents: DocumentUseCases, maxUploadBytes: number) =>
  async (
    exchange: AuthorizedExchange,
  ): Promise<E.Either<Failure | DocumentRejection, Asked<t.TypeOf<typeof UpdateDocumentBody>>>> => {
    const context = commandContextOf(exchange);
    if (E.isLeft(context)) return context;
    const id = recordId(exchange.params['id']);
    if (E.isLeft(id)) return id;
    const admitted = await documents.admitUpload(context.right, id.right);
    if (E.isLeft(admitted)) return admitted;
    const deps = formDeps(documents, id.right, maxUploadBytes);
    const asked = await readDocumentForm(update, deps)(exchange.ctx);
    return E.isLeft(asked) ? asked : E.right([context.right, asked.right]);
  };

export const updateDocument = (documents: DocumentUseCases, maxUploadBytes: number) => {
  const byForm = updatedByForm(documents, maxUploadBytes);
  return async (exchange: AuthorizedExchange): Promise<E.Either<Failure | DocumentRejection, Answer>> => {
    const read = await (isForm(exchange.ctx.req) ? byForm(exchange) : readJson(exchange, UpdateDocumentBody));
    if (E.isLeft(read)) return read;
    const id = recordId(exchange.params['id']);
    if (E.isLeft(id)) return id;
    const [context, { fields, file }] = read.right;
    const outcome = await documents.update(context, id.right, fields, file);
    return E.isLeft(outcome) ? outcome : answer(id.right, outcome.right);
  };
};
