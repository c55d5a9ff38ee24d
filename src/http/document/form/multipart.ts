import type { Readable, Writable } from 'node:stream';
import multer from '@koa/multer';
import { either as E } from 'fp-ts';
import type { StorageUnavailable, UploadAborted } from '../../../application/ports.js';
import type { StoredFile } from '../../../domain/document/events.js';
import type { KoaContext } from '../../request-context.js';
import type { PayloadTooLarge } from '../../problem/failure.js';
import { DigestCheck } from '../../request/declared-digests.js';
import { beginUpload, isClientGone, refusedByHead, type UploadDeps, type UploadFailure } from '../upload.js';
import { UploadEngine } from './upload-engine.js';
import { formFailure } from './form-failure.js';
import { formTextFault } from './form-text.js';
import { readFormType } from './form-type.js';
import { PartScan } from './part-scan.js';

/** What form data may bring beside its file, bytes. */
const FORM_OVERHEAD = 512 * 1024;

// The longest text is 10,000 characters of at most 4 bytes; a list of tags may be a little longer.
const FIELD_BYTES = 64 * 1024;
const FIELD_NAME_BYTES = 100;
const PARTS = 64;

/** The fields of a form by name, as they came, and its file, which is stored by then. */
export type Form = { readonly fields: object & { readonly file?: unknown }; readonly file: StoredFile | undefined };

/** Resolves when more bytes than `limit` have come; the parser would read on to the end. */
const overflow = ({ req }: KoaContext, limit: number): Promise<PayloadTooLarge> =>
  new Promise((resolve) => {
    let received = 0;
    const count = (chunk: Buffer): void => {
      received += chunk.length;
      if (received <= limit + FORM_OVERHEAD) return;
      req.off('data', count);
      // The response closes the connection, which ends the parser.
      req.unpipe();
      resolve({ _tag: 'PayloadTooLarge', limit });
    };
    req.on('data', count);
  });

const parse = async (ctx: KoaContext, engine: UploadEngine, maxUploadBytes: number): Promise<object> => {
  const parsers: Array<Writable> = [];
  const limits = {
    fileSize: maxUploadBytes,
    fieldSize: FIELD_BYTES,
    fieldNameSize: FIELD_NAME_BYTES,
    parts: PARTS,
    headerPairs: PARTS,
    // `a[4294967294]` would make an array with that many holes, and the parser visits each of them
    fieldArrayIndexLimit: PARTS,
  };
  // `preservePath`: a name like `x/` must not look like no name, which makes a part without a file
  const streamHandler = (request: Readable, parser: Writable): void => {
    parsers.push(parser);
    // reason: busboy gives these with each part that it takes for a file, or for a field
    parser.prependListener('file', (name: string, content: Readable, info: { filename?: string }) => {
      engine.noteFile(name, content, info);
    });
    parser.prependListener('field', (name: string, value: unknown) => engine.noteField(name, value));
    request.pipe(parser);
  };
  const options = { storage: engine, limits, defParamCharset: 'utf8', preservePath: true, streamHandler };
  await multer(options).single('file')(ctx, () => Promise.resolve());
  // multer passes over a request whose `Content-Type` it does not take for a form, and says nothing
  if (parsers.length === 0) throw new Error('the form parser passed the form over');
  // reason: the parser leaves the fields there, and koa has no type for it
  return (ctx.request as { readonly body?: object }).body ?? {};
};

const receive = async (
  ctx: KoaContext,
  engine: UploadEngine,
  scan: PartScan,
  maxUploadBytes: number,
): Promise<E.Either<UploadFailure, object>> => {
  const digests = new DigestCheck(ctx.req.headers);
  ctx.req
    .on('data', (piece: Buffer) => {
      scan.add(piece);
      digests.add(piece);
    })
    .pause();
  const failed = async (): Promise<E.Either<UploadFailure, object>> =>
    E.left(await Promise.race([overflow(ctx, maxUploadBytes), engine.storageFailed]));
  const parsed = async (): Promise<E.Either<UploadFailure, object>> => {
    try {
      const fields = await parse(ctx, engine, maxUploadBytes);
      const fault = engine.fault() ?? digests.fault() ?? formTextFault(fields);
      return fault === undefined ? E.right(fields) : E.left(fault);
    } catch (error) {
      return E.left(isClientGone(ctx) ? { _tag: 'ClientGone' } : formFailure(error, maxUploadBytes));
    }
  };
  return Promise.race([parsed(), failed()]);
};

/** Whether the storage failed. A form whose file is not stored fails too, but that is only the consequence. */
const isOurs = ({ _tag }: StorageUnavailable | UploadAborted): boolean => _tag === 'StorageUnavailable';

/**
 * Reads multipart/form-data with at most one file, whose bytes go straight into `store`. When this resolves, the file has
 * been stored or broken off, whether the form is valid or not. A form that is too long is left unread as soon as that
 * shows.
 */
export const readForm = async (ctx: KoaContext, deps: UploadDeps): Promise<E.Either<UploadFailure, Form>> => {
  const refused = refusedByHead(ctx, deps, FORM_OVERHEAD);
  if (refused !== undefined) return E.left(refused);
  const boundary = readFormType(ctx.req.headers['content-type'] ?? '');
  if (E.isLeft(boundary)) return boundary;
  // the parser reads the header itself, and more strictly: it is given what was understood
  ctx.req.headers['content-type'] = `multipart/form-data; boundary="${boundary.right}"`;
  if (!(await beginUpload(ctx, deps, FORM_OVERHEAD))) return E.left({ _tag: 'Overloaded' });
  const scan = new PartScan(boundary.right);
  const engine = new UploadEngine(deps.store, scan);
  const received = await receive(ctx, engine, scan, deps.maxUploadBytes);
  if (E.isLeft(received)) engine.abort();
  const stored = await engine.outcome();
  if (stored !== undefined && E.isLeft(stored) && (isOurs(stored.left) || E.isRight(received))) return stored;
  const file = stored !== undefined && E.isRight(stored) ? stored.right : undefined;
  return E.map((fields: object) => ({ fields, file }))(received);
};
