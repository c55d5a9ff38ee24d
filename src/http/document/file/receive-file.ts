import { finished, Transform, type TransformCallback } from 'node:stream';
import { either as E } from 'fp-ts';
import type { StoredFile } from '../../../domain/document/events.js';
import { DigestCheck } from '../../request/declared-digests.js';
import { typeOf } from '../../request/media-type.js';
import type { KoaContext } from '../../request-context.js';
import {
  beginUpload,
  declaredTypeOf,
  isClientGone,
  refusedByHead,
  type UploadDeps,
  type UploadFailure,
} from '../upload.js';

/** Passes a file on, and fails as soon as it is longer than `limit` bytes. */
class LimitedFile extends Transform {
  readonly digests: DigestCheck;
  #left: number;

  constructor({ req }: KoaContext, limit: number) {
    super();
    this.digests = new DigestCheck(req.headers);
    this.#left = limit;
  }

  get isTooLong(): boolean {
    return this.#left < 0;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, next: TransformCallback): void {
    this.#left -= piece.length;
    if (this.isTooLong) {
      next(new Error('the file is too long'));
      return;
    }
    this.digests.add(piece);
    next(null, piece);
  }
}

/** The body of a request, which fails where its client goes. The request itself stays whole: it is answered. */
const fileIn = (ctx: KoaContext, limit: number): LimitedFile => {
  const file = new LimitedFile(ctx, limit);
  // the storage sees every failure; without a listener, one that comes when it has given up would end the process
  file.on('error', () => undefined);
  finished(ctx.req, { writable: false }, (error) => {
    if (error !== undefined && error !== null) file.destroy(error);
  });
  return ctx.req.pipe(file);
};

/**
 * Stores the body of a request as the file `originalName`, whatever its media type is. When this resolves, the file has been
 * stored or broken off. One that is too long is left unread as soon as that shows.
 */
export const receiveFile = async (
  ctx: KoaContext,
  originalName: string,
  deps: UploadDeps,
): Promise<E.Either<UploadFailure, StoredFile>> => {
  const refused = refusedByHead(ctx, deps, 0);
  if (refused !== undefined) return E.left(refused);
  if (!(await beginUpload(ctx, deps, 0))) return E.left({ _tag: 'Overloaded' });
  const body = fileIn(ctx, deps.maxUploadBytes);
  const declaredType = declaredTypeOf(typeOf(ctx.req.headers['content-type'] ?? ''));
  const stored = await deps.store({ body, originalName, declaredType });
  if (E.isRight(stored)) {
    const fault = body.digests.fault();
    return fault === undefined ? stored : E.left(fault);
  }
  if (stored.left._tag === 'StorageUnavailable') return stored;
  if (body.isTooLong) return E.left({ _tag: 'PayloadTooLarge', limit: deps.maxUploadBytes });
  return isClientGone(ctx) ? E.left({ _tag: 'ClientGone' }) : stored;
};
