import type { Failure } from './failure.js';

/** What a log may hold of an error and its causes: names, messages and stacks, but no other values. */
export const errorFields = (error: unknown, depth = 4): object => {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  const because = cause === undefined || depth === 0 ? {} : { cause: errorFields(cause, depth - 1) };
  return { type: name, message, ...code, stack, ...because };
};

/** Failures whose reason is a sentence of ours. */
const EXPLAINED = ['Unauthenticated', 'AppendRejected', 'FileMissing', 'FileTooShort', 'FileDiffers'] as const;

type Explained = Extract<Failure, { _tag: (typeof EXPLAINED)[number] }>;

const isExplained = (failure: Failure): failure is Explained => EXPLAINED.some((tag) => tag === failure._tag);

/** Why a request failed, for the log. */
export const failureFields = (failure: Failure): object => {
  const { _tag: tag } = failure;
  if (failure._tag === 'UndecodableEvent') {
    const { stream, revision } = failure.stored;
    return { tag, stream, revision: String(revision), reason: failure.reason };
  }
  if (failure._tag === 'HistoryCut') {
    const { stream, shown, newest } = failure;
    return { tag, stream, shown: String(shown), newest: String(newest) };
  }
  if (failure._tag === 'Rejected') return { tag: failure.rejection };
  if (isExplained(failure)) return { tag, reason: failure.reason };
  if (failure instanceof Error) return { tag, error: errorFields(failure) };
  return 'cause' in failure ? { tag, error: errorFields(failure.cause) } : { tag };
};

/** The reader of a response went before all of it was sent. */
export class ReaderGone extends Error {
  // as a pipeline has it
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';
}

const LOST = new Set<unknown>(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']);

/** Whether a stream ended because its reader went, or was cut off as too slow. */
export const isLostReader = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && LOST.has(error.code);
