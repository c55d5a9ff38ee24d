import type { StorageUnavailable, UploadAborted } from '../../application/ports.js';
import type { CommandFailure } from '../../event-sourcing/command/command-call.js';
import type { LedgerBehind } from '../../read/ledger.js';
import type { OpenFailure } from '../../read/get-file.js';
import type { NeverExisted } from '../../read/entity-events.js';
import type { ReadModelUnavailable, SearchTooSlow, UnknownCursor } from '../../read/queries.js';
import type { Roles } from '../authentication/roles.js';
import type { Fault, Problem } from './problem.js';

/** The request has the wrong shape; all its faults at once. */
export type RequestInvalid = { readonly _tag: 'RequestInvalid'; readonly errors: ReadonlyArray<Fault> };

export const requestInvalid = (...errors: ReadonlyArray<Fault>): RequestInvalid => ({ _tag: 'RequestInvalid', errors });

/** The body is longer than `limit` bytes; nothing beyond the limit was read. */
export type PayloadTooLarge = { readonly _tag: 'PayloadTooLarge'; readonly limit: number };

/**
 * A media type, charset or content coding that the operation does not take. `takes`: the header that says what it takes
 * (RFC 9110 §15.5.16), and its value.
 */
export type UnsupportedMediaType = {
  readonly _tag: 'UnsupportedMediaType';
  readonly message: string;
  readonly takes: readonly [header: 'Accept' | 'Accept-Encoding', value: string];
};

/** No part of the requested range lies in the file of `size` bytes. */
export type RangeNotSatisfiable = { readonly _tag: 'RangeNotSatisfiable'; readonly size: number };

/** No token (no `reason`), or an invalid one. `reason` is sent to the client. */
export type Unauthenticated = {
  readonly _tag: 'Unauthenticated';
  readonly reason?: string;
  /** It was good once. */
  readonly isExpired?: boolean;
};

export const tokenExpired: Unauthenticated = {
  _tag: 'Unauthenticated',
  reason: 'The token has expired',
  isExpired: true,
};

/** The token is good, but it has none of the `roles` that allow the operation. */
type RoleMissing = { readonly _tag: 'RoleMissing'; readonly roles: Roles };

/** The keys that tokens are verified with cannot be fetched. */
export type KeysUnavailable = { readonly _tag: 'KeysUnavailable'; readonly cause: unknown };

/** A decider rejected the command: `rejection` is its tag, `problem` what it means to the client. */
type Rejected = { readonly _tag: 'Rejected'; readonly rejection: string; readonly problem: Problem };

type RouteNotFound = { readonly _tag: 'RouteNotFound' };

type MethodNotAllowed = { readonly _tag: 'MethodNotAllowed'; readonly allow: string };

export type EntityNotFound = { readonly _tag: 'EntityNotFound' };

/** The record exists or existed, but not at the revision or instant that was asked for. */
type RevisionNotFound = { readonly _tag: 'RevisionNotFound' };

/** The document has no file, or had none then. */
export type FileNotFound = { readonly _tag: 'FileNotFound' };

/** It is no link that this service made, or it has expired; which of them is said to nobody. */
export type LinkNotValid = { readonly _tag: 'LinkNotValid' };

/** `If-Match` does not name `tag`, which is that of what would be answered. */
export type TagNotMatched = { readonly _tag: 'TagNotMatched'; readonly tag: string };

/** The ledger has no event at the index that was asked for. */
type NoSuchIndex = { readonly _tag: 'NoSuchIndex' };

/** The event is there, but no signed checkpoint covers it yet. */
type NotSealedYet = { readonly _tag: 'NotSealedYet' };

/** `retryAfter` in seconds. */
export type TooManyRequests = { readonly _tag: 'TooManyRequests'; readonly retryAfter: number };

/** The client went away before its request was complete; nobody reads the response. */
export type ClientGone = { readonly _tag: 'ClientGone' };

/** The request waited too long for its part of the process budget. */
export type Overloaded = { readonly _tag: 'Overloaded' };

/** The record of reads does not take it, and no read is answered that is not recorded. */
type ReadNotRecorded = { readonly _tag: 'ReadNotRecorded' };

/** The service cannot do its work yet, or not now: the parts that are missing. */
type NotReady = {
  readonly _tag: 'NotReady';
  readonly missing: ReadonlyArray<string>;
  readonly checks: Readonly<Record<string, string>>;
};

/** What nobody foresaw; the cause is logged, never sent. */
export type Unexpected = { readonly _tag: 'Unexpected'; readonly cause: unknown };

/** What can be wrong with the body of a request. */
export type BodyFailure = RequestInvalid | PayloadTooLarge | UnsupportedMediaType | ClientGone | Overloaded;

/** What the storage has of a file is not what its event says. */
export type FileDiffers = { readonly _tag: 'FileDiffers'; readonly reason: string };

/** Everything that can keep an operation from success. */
export type Failure =
  | Rejected
  | CommandFailure
  | NeverExisted
  | ReadModelUnavailable
  | SearchTooSlow
  | UnknownCursor
  | LedgerBehind
  | StorageUnavailable
  | UploadAborted
  | OpenFailure
  | FileDiffers
  | BodyFailure
  | RangeNotSatisfiable
  | Unauthenticated
  | RoleMissing
  | KeysUnavailable
  | RouteNotFound
  | MethodNotAllowed
  | EntityNotFound
  | RevisionNotFound
  | FileNotFound
  | LinkNotValid
  | TagNotMatched
  | NoSuchIndex
  | NotSealedYet
  | TooManyRequests
  | Overloaded
  | ReadNotRecorded
  | NotReady
  | Unexpected;
