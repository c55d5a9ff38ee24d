import type { StoreUpload } from '../../application/document/with-upload.js';
import type { StorageUnavailable, UploadAborted } from '../../application/ports.js';
import type { BodyFailure, PayloadTooLarge, Unexpected, UnsupportedMediaType } from '../problem/failure.js';
import { sendContinue } from '../request/body-bytes.js';
import { codingFault } from '../request/media-type.js';
import type { KoaContext } from '../request-context.js';

/** What receives the file of a request, whether it comes within a form or is the body. */
export type UploadDeps = {
  readonly store: StoreUpload;
  /** Largest file, bytes. */
  readonly maxUploadBytes: number;
  /** What the storage holds of a file while it takes it, at most, bytes. */
  readonly heldPerUpload: number;
};

export type UploadFailure = BodyFailure | StorageUnavailable | UploadAborted | Unexpected;

/** As announced, bytes; Infinity when it is not. */
const lengthOf = ({ req }: KoaContext): number => Number(req.headers['content-length'] ?? Infinity);

/**
 * Why no byte of an upload is taken, by its length or its coding; undefined where it is. `overhead`: what may come beside the
 * file, bytes.
 */
export const refusedByHead = (
  ctx: KoaContext,
  { maxUploadBytes: limit }: UploadDeps,
  overhead: number,
): PayloadTooLarge | UnsupportedMediaType | undefined => {
  const { headers } = ctx.req;
  return headers['content-length'] !== undefined && lengthOf(ctx) > limit + overhead
    ? { _tag: 'PayloadTooLarge', limit }
    : codingFault(headers);
};

/** Acquires what an upload holds in memory, and lets a client that waits begin. False: too little is left. */
export const beginUpload = async (
  ctx: KoaContext,
  { maxUploadBytes, heldPerUpload }: UploadDeps,
  overhead: number,
): Promise<boolean> => {
  const held = overhead + Math.min(heldPerUpload, maxUploadBytes);
  if (!(await ctx.state.acquire('bytes', Math.min(held, lengthOf(ctx))))) return false;
  sendContinue(ctx.req, ctx.res);
  return true;
};

/** Whether the client left before its body was complete. */
export const isClientGone = ({ req }: KoaContext): boolean => req.destroyed && !req.complete;

/** The media type of a file as its client declares it; one that is longer than any counts as none. */
export const declaredTypeOf = (type: string | undefined): string | undefined =>
  type === undefined || type.length > 255 ? undefined : type.toLowerCase();
