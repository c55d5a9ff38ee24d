import type { Part } from '../../support/multipart-form.js';
import type { Expectation } from './expectation.js';
import type { Operation } from './operations.js';
import type { Random } from './random.js';
import type { Tokens } from './tokens.js';
import type { ValuesOf } from './values.js';
import type { Keyed, KnownRecord, SessionState } from './session-state.js';

/** By name; a name may come twice. */
export type Pairs = ReadonlyArray<readonly [name: string, value: string]>;

export type Body =
  | { readonly _tag: 'None' }
  /** JSON texts by key. */
  | { readonly _tag: 'Json'; readonly members: Pairs }
  | { readonly _tag: 'Form'; readonly parts: ReadonlyArray<Part> }
  | { readonly _tag: 'Raw'; readonly bytes: Buffer; readonly type: string | undefined };

/** A request in the making. It starts as a valid one; a mutation may change anything of it. */
export type Draft = {
  readonly operation: Operation;
  record: KnownRecord | undefined;
  /** What of the record it is about: an owner. */
  readonly part: string | undefined;
  method: string;
  /** Percent-encoded, without the query. */
  path: string;
  query: Pairs;
  /** Put behind the query as it is. */
  rawQuery: string;
  headers: Pairs;
  /** `allowed`: of somebody who may do this; undefined: no `Authorization` at all. */
  authorization: 'allowed' | { readonly header: string | undefined };
  body: Body;
  isChunked: boolean;
  /** Whether every field that it sends has to be found in the answer. */
  isPlain: boolean;
  /** Whether it asks for what a `Link` has promised. */
  isFollowing: boolean;
  /** The request that it repeats. */
  repeats: Keyed | undefined;
  expects: Expectation;
};

/** What a mutation may use. */
export type Context = {
  readonly operations: ReadonlyArray<Operation>;
  readonly state: SessionState;
  readonly random: Random;
  readonly valuesOf: ValuesOf;
  readonly tokens: Tokens;
  /** Who asks. */
  readonly subject: string;
  /** Other than those of all other cases. */
  readonly unique: string;
};

/** One way to send a request that is not quite, or not at all, as the document wants it. */
export type Mutation = {
  readonly name: string;
  /** How often it is tried beside the others; default: once. */
  readonly weight?: number;
  readonly suits: (operation: Operation) => boolean;
  /** What has to be done before with this operation, if it has not been. */
  readonly before?: (operation: Operation, context: Context) => Mutation | undefined;
  readonly apply: (draft: Draft, context: Context) => void;
};

export const without = (pairs: Pairs, ...names: ReadonlyArray<string>): Pairs =>
  pairs.filter(([name]) => !names.includes(name));

export const withPair = (pairs: Pairs, name: string, value: string): Pairs => [...without(pairs, name), [name, value]];
