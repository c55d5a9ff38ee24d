import { either as E } from 'fp-ts';
import type { StoredFile } from '../../domain/document/events.js';
import type { DocumentState } from '../../domain/document/state.js';
import type { CommandFailure } from '../../event-sourcing/command/command-call.js';
import type { Random } from '../../event-sourcing/random.js';
import type { Outcome } from '../execute.js';
import type { ObjectStorage } from '../ports.js';
import { type Stored, storeUpload, type Upload } from './store-upload.js';

/** Stores the file that a request brings. */
export type StoreUpload = (upload: Upload) => Promise<Stored>;

type Result<Failure> = E.Either<Failure, Outcome<DocumentState>>;

/** Failures after which we do not know whether the event was appended. After every other one, it was not. */
const UNDECIDED: ReadonlySet<string> = new Set<CommandFailure['_tag']>([
  'StoreUnavailable',
  'StreamContended',
  'UndecodableEvent',
]);

const mayBeNamed = (file: StoredFile, result: Result<{ readonly _tag: string }>): boolean =>
  E.isLeft(result)
    ? UNDECIDED.has(result.left._tag)
    : result.right.after._tag === 'Current' && result.right.after.file?.key === file.key;

/**
 * Runs a request that may bring a file for a document: `run` stores the file by the function it is given, then runs the
 * command. A file that no event names is removed again, whether the form was invalid, the client went away, or the
 * command was rejected or a repeat. Where we do not know whether an event names it, and where the removal fails, the
 * sweep decides later.
 */
export const withUpload =
  (random: Random, storage: Pick<ObjectStorage, 'put' | 'remove'>) =>
  async <Failure extends { readonly _tag: string }>(
    documentId: string,
    run: (store: StoreUpload) => Promise<Result<Failure>>,
  ): Promise<Result<Failure>> => {
    const uploads: Array<Promise<Stored>> = [];
    const result = await run((upload) => {
      const stored = storeUpload(random, storage)(documentId, upload);
      uploads.push(stored);
      return stored;
    });
    for (const stored of await Promise.all(uploads))
      if (E.isRight(stored) && !mayBeNamed(stored.right, result)) await storage.remove(stored.right.key);
    return result;
  };
