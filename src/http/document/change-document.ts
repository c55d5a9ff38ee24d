import { either as E } from 'fp-ts';
import type * as t from 'io-ts';
import type { CommandContext } from '../../application/command-context.js';
import type { DocumentUseCases } from '../../application/document/use-cases.js';
import type { Outcome } from '../../application/execute.js';
import type { UpdateDocument } from '../../domain/document/commands.js';
import type { StoredFile } from '../../domain/document/events.js';
import type { DocumentRejection } from '../../domain/document/rejections.js';
import type { DocumentState } from '../../domain/document/state.js';
import { renderDocument } from '../../read/document-view.js';
import type { AuthorizedContext } from '../request-context.js';
import { API } from '../paths.js';
import type { Failure, RequestInvalid } from '../problem/failure.js';
import { recordResponse } from '../record/command-response.js';
import { recordId } from '../record/record-id.js';
import { both } from '../request/both.js';
import { decodeRequest } from '../request/decode.js';
import { commandContextOf } from '../request/command-context-of.js';
import { readCommand } from '../request/read-command.js';
import type { HttpResponse } from '../response/http-response.js';
import { CreateDocumentBody, CreateDocumentForm, UpdateDocumentBody, UpdateDocumentForm } from './body.js';
import { readFileName } from './file/file-name.js';
import { receiveFile } from './file/receive-file.js';
import { FORM_OR_JSON, isForm } from './form/form-type.js';
import { readDocumentForm } from './form/read-document-form.js';
import type { UploadDeps, UploadFailure } from './upload.js';

type Failed = Failure | DocumentRejection;

/** A deleted document is shown as it was. */
export const renderAnyDocument = (id: string, { after }: Outcome<DocumentState>): string | undefined =>
  after._tag === 'NotCreated' || after._tag === 'Erased' ? undefined : renderDocument(id, after);

const createdResponse = (
  id: string,
  executed: E.Either<Failed, Outcome<DocumentState>>,
): E.Either<Failed, HttpResponse> =>
  recordResponse(id, executed, renderAnyDocument, 'Location', `${API}/document/${id}`);

/** The fields of a JSON body, of which `file` is none: it is only read to be refused. */
const readFields =
  <Fields extends { readonly file?: null }>(codec: t.Decoder<unknown, Fields>) =>
  (body: unknown): E.Either<RequestInvalid, Omit<Fields, 'file'>> =>
    E.map(({ file: _, ...given }: Fields) => given)(decodeRequest(codec)(body));

const createByJson =
  ({ create, idsOf }: DocumentUseCases) =>
  async (request: AuthorizedContext): Promise<E.Either<Failed, HttpResponse>> => {
    const read = await readCommand(request, readFields(CreateDocumentBody), FORM_OR_JSON);
    if (E.isLeft(read)) return read;
    const [context, fields] = read.right;
    const ids = idsOf(context);
    return createdResponse(ids.entityId, await create(context, ids, fields, null));
  };

const createByForm =
  ({ create, idsOf, withUpload, heldPerUpload }: DocumentUseCases, maxUploadBytes: number) =>
  async (request: AuthorizedContext): Promise<E.Either<Failed, HttpResponse>> => {
    const context = commandContextOf(request);
    if (E.isLeft(context)) return context;
    const ids = idsOf(context.right);
    const outcome = await withUpload<Failed>(ids.entityId, async (store) => {
      const shape = { fields: CreateDocumentForm, isFileRequired: true };
      const read = await readDocumentForm(request, shape, { store, heldPerUpload, maxUploadBytes });
      if (E.isLeft(read)) return read;
      const [fields, file = null] = read.right;
      return create(context.right, ids, fields, file);
    });
    return createdResponse(ids.entityId, outcome);
  };

const updateByJson =
  ({ update }: DocumentUseCases) =>
  async (request: AuthorizedContext): Promise<E.Either<Failed, HttpResponse>> => {
    const read = await readCommand(request, readFields(UpdateDocumentBody), FORM_OR_JSON);
    if (E.isLeft(read)) return read;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, fields] = read.right;
    return recordResponse(id.right, await update(context, id.right, fields, undefined), renderAnyDocument);
  };

type Changes = UpdateDocument['changes'];

/** Receives what an upload brings: changes of fields, and the file, which is stored by then. */
type Receive = (deps: UploadDeps) => Promise<E.Either<UploadFailure, readonly [Changes, StoredFile | undefined]>>;

/** Takes no byte of the file before it knows that the document exists. */
const updateByUpload = async (
  { update, admitUpload, withUpload, heldPerUpload }: DocumentUseCases,
  maxUploadBytes: number,
  { params }: AuthorizedContext,
  context: CommandContext,
  receive: Receive,
): Promise<E.Either<Failed, HttpResponse>> => {
  const id = recordId(params['id']);
  if (E.isLeft(id)) return id;
  const admitted = await admitUpload(context, id.right);
  if (E.isLeft(admitted)) return admitted;
  const outcome = await withUpload<Failed>(id.right, async (store) => {
    const received = await receive({ store, heldPerUpload, maxUploadBytes });
    return E.isLeft(received) ? received : update(context, id.right, ...received.right);
  });
  return recordResponse(id.right, outcome, renderAnyDocument);
};

const updateByForm =
  (documents: DocumentUseCases, maxUploadBytes: number) =>
  async (request: AuthorizedContext): Promise<E.Either<Failed, HttpResponse>> => {
    const context = commandContextOf(request);
    if (E.isLeft(context)) return context;
    return updateByUpload(documents, maxUploadBytes, request, context.right, (deps) =>
      readDocumentForm(request, { fields: UpdateDocumentForm, isFileRequired: false }, deps),
    );
  };

type Change = (request: AuthorizedContext) => Promise<E.Either<Failed, HttpResponse>>;

const byContentType =
  (byForm: Change, byJson: Change): Change =>
  (request) =>
    isForm(request.ctx.req.headers) ? byForm(request) : byJson(request);

export const createDocument = (documents: DocumentUseCases, maxUploadBytes: number): Change =>
  byContentType(createByForm(documents, maxUploadBytes), createByJson(documents));

export const updateDocument = (documents: DocumentUseCases, maxUploadBytes: number): Change =>
  byContentType(updateByForm(documents, maxUploadBytes), updateByJson(documents));

/** PUT of a document's file: the body is the file, and nothing else of the document changes. */
export const putDocumentFile =
  (documents: DocumentUseCases, maxUploadBytes: number): Change =>
  async (request) => {
    const read = both(commandContextOf(request), readFileName(request));
    if (E.isLeft(read)) return read;
    const [context, originalName] = read.right;
    return updateByUpload(documents, maxUploadBytes, request, context, async (deps) =>
      E.map((file: StoredFile) => [{}, file] as const)(await receiveFile(request.ctx, originalName, deps)),
    );
  };

export const deleteDocument =
  ({ delete: remove }: Pick<DocumentUseCases, 'delete'>): Change =>
  async (request) => {
    const context = commandContextOf(request);
    if (E.isLeft(context)) return context;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    return recordResponse(id.right, await remove(context.right, id.right), renderAnyDocument);
  };
