import type { Roles } from '../authentication/roles.js';
import type { ErrorCode } from './error-codes.js';

/** One fault of a request: `path` is the body's field, the parameter or the header; never the value. */
export type Fault = { readonly path: string; readonly message: string };

/** What the client gets of a failure: the contract's error object, and the headers that go with it. */
export type Problem = {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  /** Stable, for programs. */
  readonly code: ErrorCode;
  /** Those of which one would do. */
  readonly roles?: Roles;
  readonly errors?: ReadonlyArray<Fault>;
  /** How each part of the service is, where one of them is missing. */
  readonly checks?: Readonly<Record<string, string>>;
  /** Whether the connection ends with it. */
  readonly closes?: boolean;
  /** Name, value, name, value … */
  readonly headers?: ReadonlyArray<string>;
};

export const invalid = (code: ErrorCode, ...errors: ReadonlyArray<Fault>): Problem => ({
  status: 400,
  name: 'Validation Error',
  message: 'The request is not valid',
  code,
  errors,
});

export const notFound = (code: ErrorCode): Problem => ({
  status: 404,
  name: 'Entity not found',
  message: 'Entity not found',
  code,
});

export const conflict = (code: ErrorCode, message: string): Problem => ({
  status: 409,
  name: 'Conflict',
  message,
  code,
});
